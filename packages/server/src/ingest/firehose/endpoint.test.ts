import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createBuilder } from '../../../test/fixture/otlp-decode.ts';
import { NodeError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { IngestRequest } from '../../pipeline/index.ts';
import { decompress, HttpListener, InflightBudget, type IngestPort } from '../http/index.ts';
import { deliveryBody, fixedClock, headers, requestId } from './firehose.fixture.ts';
import { createFirehoseEndpoint, createFirehoseProtocol } from './index.ts';

const protocol = createFirehoseProtocol({ clock: fixedClock });

class RecordingPort implements IngestPort {
  readonly requests: IngestRequest[] = [];
  isFull = false;

  isAccepting(): boolean {
    return !this.isFull;
  }

  submit(request: IngestRequest) {
    this.requests.push(request);
    try {
      const encoding = request.headers['content-encoding'];
      const body = decompress(request.body, encoding, request.maxBodyBytes);
      const decoded = protocol.decode(request, body, createBuilder());
      const { received, stored, deduplicated, rejected } = decoded;
      return Promise.resolve({ received, stored, deduplicated, rejected, reply: decoded.reply() });
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const reply = protocol.replyToError(error, request);
      const nothing = { received: 0, stored: 0, deduplicated: 0, rejected: {} };
      return Promise.resolve({ ...nothing, reply, requestError: error.code });
    }
  }
}

async function openTestListener() {
  const port = new RecordingPort();
  const listener = await HttpListener.open({
    name: 'firehose',
    address: { host: '127.0.0.1', port: 0 },
    endpoints: [createFirehoseEndpoint({ maxBodyBytes: 4096, clock: fixedClock })],
    port,
    budget: new InflightBudget(1 << 20),
    tokens: [new Secret('key')],
    tenant: 'default',
    log: { info() {}, error() {} },
  });
  const send = async (overrides: RequestInit & { path?: string } = {}) => {
    const { path = '/', ...rest } = overrides;
    const response = await fetch(`http://127.0.0.1:${listener.address.port}${path}`, {
      method: 'POST',
      headers: { ...headers, 'x-amz-firehose-access-key': 'key' },
      body: new Uint8Array(deliveryBody('x')),
      ...rest,
    });
    const text = await response.text();
    return { status: response.status, type: response.headers.get('content-type'), text };
  };
  return { port, listener, send, [Symbol.asyncDispose]: () => listener.close(0) };
}

const echo = { requestId, timestamp: 1_700_000_000_123 };

describe('the endpoint', () => {
  it('takes a delivery at any path', async () => {
    await using test = await openTestListener();
    for (const path of ['/', '/a/b?c=d']) {
      const { status, type, text } = await test.send({ path });
      expect({ status, type }).toEqual({ status: 200, type: 'application/json' });
      expect(JSON.parse(text)).toEqual(echo);
    }
    expect(test.listener.account()).toMatchObject({ received: 2, stored: 2 });
    expect(test.port.requests[0]?.headers).not.toHaveProperty('x-amz-firehose-access-key');
  });

  it('takes a compressed body', async () => {
    await using test = await openTestListener();
    const { status } = await test.send({
      headers: { ...headers, 'x-amz-firehose-access-key': 'key', 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync(deliveryBody('x'.repeat(2000)))),
    });
    expect(status).toBe(200);
  });

  it.each([
    [401, 'another access key', { headers: { ...headers, 'x-amz-firehose-access-key': 'no' } }],
    [401, 'no access key', { headers }],
    [400, 'a body that is no JSON', { body: '{' }],
    [413, 'a body over the limit', { body: ' '.repeat(5000) }],
    [405, 'another method', { method: 'PUT' }],
  ])('answers %i to %s and echoes the request id', async (expected, _, overrides) => {
    await using test = await openTestListener();
    const { status, type, text } = await test.send(overrides);
    expect({ status, type }).toEqual({ status: expected, type: 'application/json' });
    expect(JSON.parse(text)).toEqual({ ...echo, errorMessage: expect.any(String) });
  });

  it('answers 503 and echoes the request id while it takes no events', async () => {
    await using test = await openTestListener();
    test.port.isFull = true;
    const { status, text } = await test.send();
    expect(status).toBe(503);
    expect(JSON.parse(text)).toMatchObject(echo);
  });

  it('answers 400 to a delivery without a request id, and lets a wrong key know no more', async () => {
    await using test = await openTestListener();
    const withKey = { 'x-amz-firehose-access-key': 'key' };
    expect(await test.send({ headers: withKey })).toMatchObject({ status: 400 });
    expect(await test.send({ headers: {} })).toMatchObject({ status: 401 });
  });

  it('answers the probes of a load balancer', async () => {
    await using test = await openTestListener();
    const get = { method: 'GET', body: null, headers: {} };
    expect(await test.send({ ...get, path: '/health' })).toMatchObject({ status: 200 });
    expect(await test.send({ ...get, path: '/x' })).toMatchObject({ status: 404 });
  });
});
