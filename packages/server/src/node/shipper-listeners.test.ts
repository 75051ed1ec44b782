import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeProtobuf, sampleStreams } from '../../test/fixture/loki-encode.ts';
import { optionPaths, resolveConfig } from '../config/index.ts';
import { createLogger } from '../telemetry/index.ts';
import { type Node, openNode } from './index.ts';

const token = 'shipper-token';
const json = { 'content-type': 'application/json' };
let directory: string;
let node: Node;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-shippers-'));
  const addresses = optionPaths.filter((path) => path.endsWith('listen'));
  const flags = [
    ...addresses.map((name) => ({
      name,
      text: /gelf|grpc|bulk/.test(name) ? 'off' : '127.0.0.1:0',
    })),
    { name: 'data_dir', text: directory },
  ];
  const env = { VARVE_INGEST__HEC__TOKENS: token };
  const { config } = resolveConfig({ flags, env });
  node = await openNode({ config, logger: createLogger({ level: 'fatal', format: 'json' }) });
});

afterAll(async () => {
  await node.close();
  await rm(directory, { recursive: true, force: true });
});

const post = (listener: string, path: string, init: RequestInit): Promise<Response> =>
  fetch(`http://${node.addresses[listener]}${path}`, { method: 'POST', ...init });

async function stored(where: string): Promise<unknown[][]> {
  const sql = `SELECT timestamp_ns::VARCHAR, source, service, body, tenant FROM raw_events WHERE ${where} ORDER BY ALL`;
  const response = await post('server', '/v1/sql', {
    headers: json,
    body: JSON.stringify({ sql }),
  });
  const { rows } = (await response.json()) as { rows: unknown[][] };
  return rows;
}

describe('the Loki listener of a node', () => {
  const push = (init: RequestInit): Promise<Response> => post('loki', '/loki/api/v1/push', init);

  it('stores a push once, whatever encoding it is repeated in, and answers 204', async () => {
    const body = encodeProtobuf(sampleStreams.slice(0, 1));
    const headers = { 'content-type': 'application/x-protobuf', 'x-scope-orgid': 'acme' };
    for (let attempt = 0; attempt < 2; attempt++) {
      const response = await push({ headers, body });
      expect([response.status, await response.text()]).toEqual([204, '']);
    }
    expect(await stored("source = 'loki' AND service = 'shop'")).toEqual([
      ['1767323044123456789', 'loki', 'shop', 'level=warn msg="payment slow for Zoë"', 'acme'],
      ['1767323044123456790', 'loki', 'shop', 'order placed', 'acme'],
    ]);
  });

  it('tells a fault in plain text and is ready', async () => {
    const response = await push({
      headers: json,
      body: '{"streams":[{"stream":"{","values":[]}]}',
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toMatch(/^labels: expected a name/);
    const ready = await fetch(`http://${node.addresses['loki']}/ready`);
    expect([ready.status, await ready.text()]).toEqual([200, 'ready\n']);
  });

  it('takes OTLP on its port', async () => {
    const record = { timeUnixNano: '1767323044000000000', body: { stringValue: 'by OTLP' } };
    const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
    const response = await post('loki', '/otlp/v1/logs', { headers: json, body });
    expect([response.status, await response.text()]).toEqual([200, '{}']);
    expect(await stored("body = 'by OTLP'")).toHaveLength(1);
  });
});

describe('the HEC listener of a node', () => {
  const authorization = `Splunk ${token}`;

  it('stores events without a content type, and acknowledges those of a channel', async () => {
    const headers = { authorization, 'x-splunk-request-channel': 'c-1' };
    const body = new TextEncoder().encode(
      '{"event":"first","time":1767323044.5,"sourcetype":"shop"}{"event":"second","time":1767323045}',
    );
    const response = await post('hec', '/services/collector/event', { headers, body });
    expect(await response.json()).toEqual({ text: 'Success', code: 0, ackId: 0 });
    expect(await stored("source = 'hec'")).toEqual([
      ['1767323044500000000', 'hec', 'shop', 'first', 'default'],
      ['1767323045000000000', 'hec', 'unknown_service', 'second', 'default'],
    ]);
    const acks = await post('hec', '/services/collector/ack', { headers, body: '{"acks":[0]}' });
    expect(await acks.json()).toEqual({ acks: { '0': true } });
  });

  it('stores nothing of a batch with a fault', async () => {
    const body = '{"event":"kept back"}{"event":""}';
    const response = await post('hec', '/services/collector', { headers: { authorization }, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 13, 'invalid-event-number': 1 });
    expect(await stored("body = 'kept back'")).toEqual([]);
  });

  it('asks for a token, but not before it answers OPTIONS and health', async () => {
    const base = `http://${node.addresses['hec']}/services/collector`;
    expect((await fetch(`${base}/event/1.0`, { method: 'OPTIONS' })).status).toBe(200);
    expect((await fetch(`${base}/health`)).status).toBe(200);
    const without = await fetch(base, { method: 'POST', body: '{"event":"a"}' });
    expect([without.status, await without.json()]).toEqual([
      401,
      { text: 'Token is required', code: 2 },
    ]);
    const wrong = { authorization: 'Splunk wrong' };
    expect((await fetch(base, { method: 'POST', headers: wrong })).status).toBe(403);
    const basic = `Basic ${Buffer.from(`x:${token}`).toString('base64')}`;
    const empty = await fetch(base, { method: 'POST', headers: { authorization: basic } });
    expect([empty.status, await empty.json()]).toEqual([400, { text: 'No data', code: 5 }]);
  });
});
