import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { listenerUrl } from './node-address.ts';
import { parseDuration } from './options.ts';
import { parseRetryAfter } from './retrying-sender.ts';
import { runDemo } from './run-demo.ts';

interface Received {
  readonly path: string;
  readonly body: string;
  readonly authorization: string | undefined;
}

/** A node as far as the demo sees one: its health, and two listeners that take everything. */
class TinyNode {
  readonly received: Received[] = [];
  /** Answers to give before accepting, each to the first request for its path, or for any. */
  readonly refusals: {
    path?: string;
    status: number;
    headers?: Record<string, string>;
    body?: string;
  }[] = [];
  onAccepted: () => void = () => undefined;
  readonly #server = createServer((request, response) => {
    // A sender that is stopped takes its half-read request with it.
    this.#serve(request, response).catch(() => response.destroy());
  });

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get address(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return `127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  bodies(path: string): string[] {
    return this.received.filter((each) => each.path === path).map((each) => each.body);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    const path = request.url ?? '';
    if (path === '/v1/health') {
      const listeners = ['otlp_http', 'bulk'].map((name) => ({ name, address: this.address }));
      response.end(JSON.stringify({ ingest: { listeners } }));
      return;
    }
    this.received.push({ path, body, authorization: request.headers.authorization });
    const index = this.refusals.findIndex((each) => each.path === undefined || each.path === path);
    const [refusal] = index < 0 ? [] : this.refusals.splice(index, 1);
    if (refusal !== undefined) {
      response.writeHead(refusal.status, refusal.headers ?? {}).end(refusal.body ?? '');
      return;
    }
    response.end(path === '/_bulk' ? '{"took":1,"errors":false,"items":[]}' : '{}');
    this.onAccepted();
  }
}

describe('varve demo', () => {
  let node: TinyNode;
  let output: string;
  const host = {
    clock: systemClock,
    terminal: { isTty: false, columns: 100, write: (text: string) => void (output += text) },
  };

  beforeEach(async () => {
    node = new TinyNode();
    output = '';
    await node.listen();
  });
  afterEach(() => node.close());

  const run = (...extra: string[]): Promise<number> =>
    runDemo(
      ['--url', node.address, '--rate', '50', '--history', '2m', '--duration', '0', ...extra],
      host,
    );

  it('fills in history through both listeners, goes live, and says what it sent', async () => {
    expect(await run('--token', 'secret', '--duration', '1s')).toBe(0);
    const otlp = node.bodies('/v1/logs').flatMap((body) => body.match(/log\.record\.uid/g) ?? []);
    const bulk = node.bodies('/_bulk').flatMap((body) => body.match(/"_id"/g) ?? []);
    expect(otlp.length + bulk.length).toBeGreaterThan(2000);
    const grouped = (count: number): string => count.toLocaleString('en-US');
    expect(output).toContain(
      `stopped   ${grouped(otlp.length + bulk.length)} events sent (OTLP ${grouped(otlp.length)}, _bulk ${grouped(bulk.length)})`,
    );
    expect(new Set(node.received.map((each) => each.authorization))).toEqual(
      new Set(['Bearer secret']),
    );
  });

  it('sends well-formed OTLP and _bulk bodies', async () => {
    await run();
    const [otlp = '{}'] = node.bodies('/v1/logs');
    const uid = { key: 'log.record.uid', value: { stringValue: expect.any(String) } };
    const record = {
      timeUnixNano: expect.stringMatching(/^\d{19}$/),
      attributes: expect.arrayContaining([uid]),
    };
    const scopeLogs = [{ logRecords: expect.arrayContaining([expect.objectContaining(record)]) }];
    expect(JSON.parse(otlp)).toMatchObject({
      resourceLogs: expect.arrayContaining([
        expect.objectContaining({ scopeLogs: [expect.objectContaining(scopeLogs[0] ?? {})] }),
      ]),
    });
    const [bulk = ''] = node.bodies('/_bulk');
    const lines = bulk.trimEnd().split('\n');
    expect(lines.length % 2).toBe(0);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      create: { _index: expect.stringMatching(/^logs-/), _id: expect.any(String) },
    });
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({
      '@timestamp': expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{9}Z$/),
    });
  });

  it('sends the same batch again after a 503', async () => {
    node.refusals.push({ status: 503, headers: { 'retry-after': '0' } });
    expect(await run()).toBe(0);
    const [refused] = node.received;
    const again = node.received.slice(1).filter((each) => each.body === refused?.body);
    expect(again.map((each) => each.path)).toEqual([refused?.path]);
    expect(output).toContain('1 resends');
  });

  it('counts what the node had already and goes on', async () => {
    const conflict =
      '{"took":1,"errors":true,"items":[{"create":{"_id":"a","status":409,"error":{}}}]}';
    node.refusals.push({ path: '/_bulk', status: 200, body: conflict });
    expect(await run()).toBe(0);
    expect(output).toContain('1 were stored already');
  });

  it('stops with the reason when the node refuses a batch for good', async () => {
    for (let i = 0; i < 2; i++) node.refusals.push({ status: 400, body: 'event too large' });
    expect(await run()).toBe(1);
    expect(output).toContain('refused a batch with 400: event too large');
  });

  it('stops on a signal and says what was sent', async () => {
    const stop = new AbortController();
    node.onAccepted = () => stop.abort();
    const code = await runDemo(['--url', node.address, '--history', '24h'], {
      ...host,
      signal: stop.signal,
    });
    expect(code).toBe(0);
    expect(output).toMatch(/stopped {3}[\d,]+ events sent/);
  });

  it('says how to start a node when none answers', async () => {
    expect(await runDemo(['--url', 'http://127.0.0.1:1'], host)).toBe(1);
    expect(output).toContain('start one with `varve start`');
  });

  it('explains wrong arguments and shows the usage', async () => {
    expect(await runDemo(['--rate', 'fast'], host)).toBe(2);
    expect(output).toContain('--rate takes a number');
    expect(output).toContain('usage: varve demo');
  });
});

describe('the small parts of the demo', () => {
  it('read durations with a unit and refuse others', () => {
    expect(parseDuration('--history', '90s')).toBe(90_000);
    expect(parseDuration('--history', '1.5h')).toBe(5_400_000);
    expect(parseDuration('--history', '0')).toBe(0);
    expect(() => parseDuration('--history', '24')).toThrow('takes a duration');
  });

  it('read Retry-After as seconds or as a date', () => {
    const nowMs = Date.UTC(2026, 0, 1);
    expect(parseRetryAfter('3', nowMs)).toBe(3000);
    expect(parseRetryAfter('Thu, 01 Jan 2026 00:00:05 GMT', nowMs)).toBe(5000);
    expect(parseRetryAfter('soon', nowMs)).toBeUndefined();
    expect(parseRetryAfter(null, nowMs)).toBeUndefined();
  });

  it('reach a listener on every interface at the host of the API', () => {
    expect(listenerUrl('0.0.0.0:4318', 'varve.internal')).toBe('http://varve.internal:4318');
    expect(listenerUrl('[::]:9200', '127.0.0.1')).toBe('http://127.0.0.1:9200');
    expect(listenerUrl('10.0.0.7:9200', '127.0.0.1')).toBe('http://10.0.0.7:9200');
  });
});
