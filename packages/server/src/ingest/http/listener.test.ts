import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { NodeError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { IngestRequest } from '../../pipeline/index.ts';
import { decompress } from './decompress.ts';
import type { HttpEndpoint } from './endpoint.ts';
import { InflightBudget } from './inflight-budget.ts';
import type { IngestOutcome, IngestPort } from './ingest-port.ts';
import { HttpListener, type HttpListenerOptions } from './listener.ts';

const decoder = new TextDecoder();

const endpoint: HttpEndpoint = {
  protocol: {
    name: 'echo',
    replyToError: (error: NodeError, head) => ({
      status: statusOf(error),
      headers: { 'content-type': 'text/x-error' },
      body: `${head.protocol}: ${error.code}`,
    }),
  },
  route({ method, path }) {
    if (path === '/push') {
      return method === 'POST'
        ? { kind: 'ingest', maxBodyBytes: 100_000 }
        : { kind: 'method_not_allowed', allow: ['POST'] };
    }
    if (path !== '/hello') return undefined;
    return { kind: 'reply', reply: { status: 200, headers: {}, body: 'hello' } };
  },
  secretsOf: ({ headers }) => [headers['x-own-key'] ?? ''],
};

function statusOf({ code }: NodeError): number {
  const statuses: Partial<Record<string, number>> = {
    request_body_too_large: 413,
    ingest_backpressure: 503,
    auth_unauthenticated: 401,
    request_not_found: 404,
    request_method_not_allowed: 405,
  };
  return statuses[code] ?? (code === 'node_internal' ? 500 : 400);
}

/** Answers with the length of the body once `hold` is resolved. */
class EchoPort implements IngestPort {
  isOpen = true;
  hold: Promise<void> = Promise.resolve();
  readonly requests: IngestRequest[] = [];

  isAccepting(): boolean {
    return this.isOpen;
  }

  async submit(request: IngestRequest): Promise<IngestOutcome> {
    this.requests.push(request);
    await this.hold;
    if (request.headers['x-fault'] !== undefined) throw new Error('the worker is gone');
    const { 'content-encoding': encoding } = request.headers;
    const body = decompress(request.body, encoding, request.maxBodyBytes);
    const reply = { status: 200, headers: {}, body: `${body.length} bytes` };
    return {
      reply,
      received: 3,
      stored: 2,
      deduplicated: 0,
      rejected: { ingest_malformed_body: 1 },
    };
  }
}

const opened: { close(graceMs?: number): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((listener) => listener.close(0)));
});

async function setup(overrides: Partial<HttpListenerOptions> = {}) {
  const port = new EchoPort();
  const budget = overrides.budget ?? new InflightBudget(1_000_000);
  const listener = await HttpListener.open({
    name: 'echo',
    address: { host: '127.0.0.1', port: 0 },
    endpoints: [endpoint],
    port,
    budget,
    tokens: [],
    tenant: 'main',
    log: { info: () => {}, error: () => {} },
    ...overrides,
  });
  opened.push(listener);
  const base = `http://127.0.0.1:${listener.address.port}`;
  const push = (
    body: string | Uint8Array<ArrayBuffer>,
    init: RequestInit = {},
  ): Promise<Response> => fetch(`${base}/push`, { method: 'POST', body, ...init });
  return { port, budget, listener, base, push };
}

/** A connection that is written to by hand. */
async function dial(listener: HttpListener) {
  const socket: Socket = connect(listener.address.port, '127.0.0.1');
  let received = '';
  let isClosed = false;
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  socket.on('close', () => (isClosed = true)).on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  return {
    socket,
    received: () => received,
    async until(text: string): Promise<string> {
      while (!received.includes(text)) {
        if (isClosed) throw new Error(`closed after ${JSON.stringify(received)}`);
        await delay(2);
      }
      return received;
    },
    async closed(): Promise<string> {
      while (!isClosed) await delay(2);
      return received;
    },
  };
}

async function eventually(check: () => boolean): Promise<void> {
  while (!check()) await delay(2);
}

const head = (lines: string): string => `POST /push HTTP/1.1\r\nhost: x\r\n${lines}\r\n\r\n`;

describe('HttpListener', () => {
  it('hands the body over as one buffer of its own, with path, tenant and headers', async () => {
    const { base, port, listener, budget } = await setup();
    const response = await fetch(`${base}//push/?a=1`, {
      method: 'POST',
      body: 'hello',
      headers: { 'x-scope-orgid': 'acme', authorization: 'Bearer secret', 'x-more': 'yes' },
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('5 bytes');
    const [request] = port.requests;
    expect(request).toMatchObject({
      path: '/push',
      query: 'a=1',
      tenant: 'acme',
      listener: 'echo',
      protocol: 'echo',
    });
    expect(request?.headers['x-more']).toBe('yes');
    expect(request?.headers['authorization']).toBeUndefined();
    expect(request?.body.buffer.byteLength).toBe(5);
    expect(budget.usedBytes).toBe(0);
    expect(listener.account()).toMatchObject({
      accepting: true,
      received: 3,
      stored: 2,
      rejected: { ingest_malformed_body: 1 },
      requests: 1,
    });
    expect(listener.account().lastEventAtMs).toBeTypeOf('number');
  });

  it('takes a chunked body and counts its bytes as they come', async () => {
    const { listener, port, budget } = await setup();
    const client = await dial(listener);
    client.socket.write(`${head('transfer-encoding: chunked')}5\r\nhello\r\n`);
    await eventually(() => budget.usedBytes === 5);
    client.socket.write('6\r\n world\r\n0\r\n\r\n');
    expect(await client.until('11 bytes')).toMatch(/^HTTP\/1\.1 200 /);
    expect(decoder.decode(port.requests[0]?.body)).toBe('hello world');
    expect(budget.usedBytes).toBe(0);
    client.socket.destroy();
  });

  it('refuses a body over the limit by its length alone, so that the sender sees why', async () => {
    const { listener, port, push } = await setup();
    const response = await push('x'.repeat(100_001));
    expect(response.status).toBe(413);
    expect(await response.text()).toBe('echo: request_body_too_large');
    const client = await dial(listener);
    client.socket.write(head('content-length: 104857600'));
    expect(await client.until('too_large')).toMatch(/^HTTP\/1\.1 413 [^]*connection: close/i);
    client.socket.destroy();
    expect(port.requests).toHaveLength(0);
    expect(listener.account().rejectedRequests).toEqual({ request_body_too_large: 2 });
  });

  it('stops reading a chunked body at the limit', async () => {
    const { listener, port, budget } = await setup();
    const client = await dial(listener);
    const chunk = `c350\r\n${'x'.repeat(50_000)}\r\n`;
    client.socket.write(head('transfer-encoding: chunked') + chunk + chunk + chunk);
    expect(await client.until('too_large')).toMatch(/^HTTP\/1\.1 413 /);
    client.socket.destroy();
    expect(port.requests).toHaveLength(0);
    await eventually(() => budget.usedBytes === 0);
  });

  it('answers 503 with Retry-After before it reads a body that has no room', async () => {
    const budget = new InflightBudget(1000);
    const { port, push, listener } = await setup({ budget });
    let release = (): void => {};
    port.hold = new Promise((resolve) => (release = resolve));
    const first = push('x'.repeat(900));
    await eventually(() => port.requests.length === 1);
    const client = await dial(listener);
    client.socket.write(head('content-length: 200'));
    const text = await client.until('backpressure');
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    expect(text).toMatch(/retry-after: \d+\r\n/i);
    client.socket.destroy();
    release();
    expect((await first).status).toBe(200);
    expect((await push('x'.repeat(200))).status).toBe(200);
    expect(budget.usedBytes).toBe(0);
  });

  it('gives a chunked body that finds no room a 503 and frees what it held', async () => {
    const budget = new InflightBudget(1000);
    const { listener } = await setup({ budget });
    const client = await dial(listener);
    client.socket.write(`${head('transfer-encoding: chunked')}7d0\r\n${'x'.repeat(2000)}\r\n`);
    expect(await client.until('backpressure')).toMatch(/^HTTP\/1\.1 503 /);
    await eventually(() => budget.usedBytes === 0);
    client.socket.destroy();
  });

  it('accepts nothing while unpublished data is at its limit', async () => {
    const { port, push, listener } = await setup();
    port.isOpen = false;
    const response = await push('x');
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(listener.account().accepting).toBe(false);
    port.isOpen = true;
    expect((await push('x')).status).toBe(200);
  });

  it('forgets a request whose sender goes away in the middle', async () => {
    const { listener, port, budget } = await setup();
    const client = await dial(listener);
    client.socket.write(`${head('content-length: 100')}partial`);
    await eventually(() => budget.usedBytes === 100);
    client.socket.destroy();
    await eventually(() => budget.usedBytes === 0);
    expect(port.requests).toHaveLength(0);
    expect(listener.account().disconnected).toBe(1);
  });

  it('cuts off a sender that stops in the middle of its body', async () => {
    const { listener, port, budget } = await setup({ timeouts: { bodyIdleMs: 30 } });
    const client = await dial(listener);
    client.socket.write(`${head('content-length: 100')}partial`);
    await client.closed();
    expect(port.requests).toHaveLength(0);
    expect(budget.usedBytes).toBe(0);
  });

  it('cuts off a sender that never finishes its headers', async () => {
    const { listener } = await setup({ timeouts: { headersMs: 50 } });
    const client = await dial(listener);
    client.socket.write('POST /push HTTP/1.1\r\nhost: x\r\n');
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('asks for the body of an expectant sender only when it will take it', async () => {
    const { listener, port } = await setup();
    const client = await dial(listener);
    client.socket.write(head('content-length: 5\r\nexpect: 100-continue'));
    await client.until('HTTP/1.1 100 Continue');
    client.socket.write('hello');
    await client.until('5 bytes');
    client.socket.destroy();
    port.isOpen = false;
    const refused = await dial(listener);
    refused.socket.write(head('content-length: 5\r\nexpect: 100-continue'));
    const text = await refused.until('backpressure');
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    expect(text).not.toContain('100 Continue');
    refused.socket.destroy();
  });

  it.each([
    ['bearer', { authorization: 'Bearer t0ken' }],
    ['basic with any name', { authorization: `basic ${btoa('me:t0ken')}` }],
    ["the protocol's own header", { 'x-own-key': 't0ken' }],
  ])('lets a token in as %s', async (_, headers) => {
    const { push } = await setup({ tokens: [new Secret('other'), new Secret('t0ken')] });
    expect((await push('x', { headers })).status).toBe(200);
  });

  it.each([
    {},
    { authorization: 'Bearer' },
    { authorization: 'Bearer t0ke' },
    { authorization: 'Basic !' },
  ])('lets %j not in', async (headers: Record<string, string>) => {
    const { push, port, base } = await setup({ tokens: [new Secret('t0ken')] });
    expect((await push('x', { headers })).status).toBe(401);
    expect((await fetch(`${base}/hello`, { headers })).status).toBe(401);
    expect(port.requests).toHaveLength(0);
  });

  it.each(['a/b', '..', 'x'.repeat(151), 'a b'])('refuses the tenant %j', async (tenant) => {
    const { push, port } = await setup();
    expect((await push('x', { headers: { 'x-scope-orgid': tenant } })).status).toBe(400);
    expect(port.requests).toHaveLength(0);
  });

  it('answers probes without a token, other paths with 404, other methods with 405', async () => {
    const { base } = await setup({ tokens: [new Secret('t0ken')] });
    for (const path of ['/', '/health', '/ready']) {
      expect((await fetch(base + path)).status).toBe(200);
      expect((await fetch(base + path, { method: 'HEAD' })).status).toBe(200);
    }
    expect((await fetch(`${base}/other`)).status).toBe(404);
    const response = await fetch(`${base}/push`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  it('serves only below the configured prefix', async () => {
    const { base, port } = await setup({ pathPrefix: 'in/here/' });
    const send = (path: string): Promise<Response> =>
      fetch(base + path, { method: 'POST', body: 'x' });
    expect((await send('/in//here/push')).status).toBe(200);
    expect((await send('/push')).status).toBe(404);
    expect((await send('/in/hereafter/push')).status).toBe(404);
    expect(port.requests[0]?.path).toBe('/push');
  });

  it('answers 500 in the shape of the protocol when the worker fails', async () => {
    const { push, budget } = await setup();
    const response = await push('x', { headers: { 'x-fault': '1' } });
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('echo: node_internal');
    expect(budget.usedBytes).toBe(0);
  });

  it('finishes what is in flight when it is closed, and takes nothing more', async () => {
    const { port, push, listener, base } = await setup();
    let release = (): void => {};
    port.hold = new Promise((resolve) => (release = resolve));
    const idle = await dial(listener);
    idle.socket.write('GET /hello HTTP/1.1\r\nhost: x\r\n\r\n');
    await idle.until('hello');
    const pending = push('x');
    await eventually(() => port.requests.length === 1);
    const closed = listener.close();
    await idle.closed();
    await expect(fetch(`${base}/hello`)).rejects.toThrow();
    release();
    const response = await pending;
    expect(response.status).toBe(200);
    expect(response.headers.get('connection')).toBe('close');
    await closed;
  });

  it('hands a compressed body over as it came', async () => {
    const { push, port } = await setup();
    const body = gzipSync('x'.repeat(50_000));
    const response = await push(new Uint8Array(body), { headers: { 'content-encoding': 'gzip' } });
    expect(await response.text()).toBe('50000 bytes');
    expect(port.requests[0]?.body.length).toBe(body.length);
  });
});
