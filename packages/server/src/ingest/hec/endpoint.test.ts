import { describe, expect, it } from 'vitest';
import { NodeError } from '../../base/errors.ts';
import type { HttpEndpoint } from '../http/index.ts';
import { createHecEndpoint } from './index.ts';

let isAccepting = true;
const createEndpoint = (allowsQueryToken: boolean): HttpEndpoint =>
  createHecEndpoint({ maxBodyBytes: 7, allowsQueryToken, isAccepting: () => isAccepting });
const strict = createEndpoint(false);
const open = createEndpoint(true);

const input = (head: {
  path?: string;
  method?: string;
  query?: string;
  authorization?: string;
}) => ({
  method: head.method ?? 'POST',
  path: head.path ?? '/services/collector',
  query: head.query ?? '',
  headers: head.authorization === undefined ? {} : { authorization: head.authorization },
});

describe('the collector', () => {
  it.each([
    '/services/collector',
    '/services/collector/event',
    '/services/collector/event/1.0',
    '/services/collector/raw',
    '/Services/Collector/RAW/1.0',
  ])('takes events at %s', (path) => {
    expect(strict.route(input({ path }))).toEqual({ kind: 'ingest', maxBodyBytes: 7 });
    expect(strict.route(input({ path, method: 'OPTIONS' }))).toMatchObject({
      kind: 'reply',
      isPublic: true,
      reply: { status: 200 },
    });
    expect(strict.route(input({ path, method: 'GET' }))).toMatchObject({
      kind: 'method_not_allowed',
    });
  });

  it('takes questions for acknowledgements of a bounded size', () => {
    expect(strict.route(input({ path: '/services/collector/ack' }))).toEqual({
      kind: 'ingest',
      maxBodyBytes: 1024 * 1024,
    });
  });

  it('knows no other path', () => {
    for (const path of [
      '/',
      '/services',
      '/services/collector/x',
      '/services/collector/event/2.0',
    ]) {
      expect(strict.route(input({ path }))).toBeUndefined();
    }
  });

  it('tells its health to everybody', () => {
    const health = () =>
      strict.route(input({ method: 'GET', path: '/services/collector/health/1.0' }));
    expect(health()).toMatchObject({ isPublic: true, reply: { status: 200 } });
    isAccepting = false;
    expect(health()).toMatchObject({ isPublic: true, reply: { status: 503 } });
    isAccepting = true;
  });
});

describe('a token', () => {
  const basic = `Basic ${Buffer.from('x:tok').toString('base64')}`;

  it('is found in the Splunk scheme, and in the query string when that is allowed', () => {
    expect(strict.secretsOf?.(input({ authorization: 'splunk  tok' }))).toEqual(['tok']);
    expect(strict.secretsOf?.(input({ query: 'token=tok' }))).toEqual([]);
    expect(open.secretsOf?.(input({ query: 'a=b&token=t%20k' }))).toEqual(['t k']);
  });

  it.each([
    [strict, {}, 401, 2],
    [strict, { authorization: 'Splunk' }, 401, 3],
    [strict, { authorization: 'Digest x' }, 401, 3],
    [strict, { authorization: 'Splunk nope' }, 403, 4],
    [strict, { authorization: basic }, 403, 4],
    [strict, { query: 'token=nope' }, 400, 16],
    [open, { query: 'token=nope' }, 403, 4],
  ] as const)('that is missing or wrong is told as such (%#)', (endpoint, head, status, code) => {
    const error = new NodeError('auth_unauthenticated', 'x');
    const request = {
      ...input(head),
      protocol: 'hec',
      listener: 'hec',
      tenant: 'default',
      maxBodyBytes: 0,
    };
    const reply = endpoint.protocol.replyToError(error, request);
    expect(reply.status).toBe(status);
    expect(JSON.parse(String(reply.body))).toMatchObject({ code });
  });

  it.each([
    ['ingest_backpressure', 503, 9],
    ['wal_write_failed', 503, 9],
    ['node_internal', 500, 8],
    ['request_not_found', 404, 404],
    ['request_method_not_allowed', 405, 405],
    ['request_body_too_large', 413, 413],
    ['request_unsupported_media_type', 415, 415],
    ['request_malformed', 400, 6],
  ] as const)('is no matter of %s, which is %i with code %i', (name, status, code) => {
    const request = {
      ...input({}),
      protocol: 'hec',
      listener: 'hec',
      tenant: 'default',
      maxBodyBytes: 0,
    };
    const reply = strict.protocol.replyToError(new NodeError(name, 'what to do'), request);
    expect(reply.status).toBe(status);
    expect(JSON.parse(String(reply.body))).toMatchObject({ code });
  });
});
