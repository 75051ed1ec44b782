import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { NodeError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { openTestServer, rowsOf, TOKEN, type TestServer } from './server.fixture.ts';

const post = (server: TestServer, body: unknown, query = ''): Promise<Response> =>
  server.fetch(`/v1/sql${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('readiness', () => {
  it('answers 200 in plain text without credentials while the node can serve', async () => {
    await using server = await openTestServer({ token: new Secret(TOKEN) });
    const response = await server.fetch('/ready');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  });

  it('answers 503 with the reason while the log is replayed, and refuses queries', async () => {
    await using server = await openTestServer({ notReady: 'replaying the log: 3 of 12 segments' });
    const ready = await server.fetch('/ready');
    expect([ready.status, await ready.text()]).toEqual([
      503,
      'replaying the log: 3 of 12 segments\n',
    ]);
    const sql = await post(server, { sql: 'select 1' });
    expect(sql.status).toBe(503);
    expect(sql.headers.get('retry-after')).toBe('1');
    expect(await sql.json()).toMatchObject({ code: 'node_not_ready' });
    expect(server.sqlRuns).toEqual([]);
  });
});

describe('credentials', () => {
  it.each([
    ['/v1/health', 'GET'],
    ['/v1/openapi.json', 'GET'],
    ['/v1/sql', 'POST'],
    ['/v1/no-such-route', 'GET'],
    ['/v1/health', 'DELETE'],
    ['/%761/health', 'GET'],
    ['/metrics', 'GET'],
  ])('refuses %s %s without or with a wrong token', async (path, method) => {
    await using server = await openTestServer({ token: new Secret(TOKEN) });
    for (const authorization of [undefined, 'Bearer wrong', `Basic ${TOKEN}`, 'Bearer ', TOKEN]) {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await server.fetch(path, { method, headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(await response.json()).toMatchObject({ status: 401, code: 'auth_unauthenticated' });
    }
  });

  it.each(['Bearer', 'bearer'])('takes the token after the scheme %s', async (scheme) => {
    await using server = await openTestServer({ token: new Secret(TOKEN) });
    const headers = { authorization: `${scheme} ${TOKEN}` };
    expect((await server.fetch('/v1/health', { headers })).status).toBe(200);
  });

  it('needs none when no token is configured', async () => {
    await using server = await openTestServer();
    expect((await server.fetch('/v1/health')).status).toBe(200);
  });
});

describe('POST /v1/sql', () => {
  it.each([
    ['json', 'application/json; charset=utf-8', null],
    ['ndjson', 'application/x-ndjson; charset=utf-8', /^attachment; filename="varve-.*\.ndjson"$/],
    ['csv', 'text/csv; charset=utf-8; header=present', /^attachment; filename="varve-.*\.csv"$/],
  ])('streams %s', async (format, type, disposition) => {
    await using server = await openTestServer({ sql: rowsOf('one', 'two') });
    const response = await post(server, { sql: 'select 1' }, `?format=${format}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    const given = response.headers.get('content-disposition');
    if (disposition === null) expect(given).toBeNull();
    else expect(given).toMatch(disposition);
    expect(await response.text()).toBe('onetwo');
    expect(server.sqlRuns).toEqual([{ sql: 'select 1', format }]);
  });

  it.each(['?format=xml', '?format=', '?format=CSV', '?format=csv&format=json'])(
    'refuses the unknown format %s before any work',
    async (query) => {
      await using server = await openTestServer();
      const response = await post(server, { sql: 'select 1' }, query);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        code: 'request_malformed',
        errors: [{ path: 'format', message: 'expected one of json, ndjson, csv' }],
      });
      expect(server.sqlRuns).toEqual([]);
    },
  );

  it.each<[string, unknown, string]>([
    ['a body that is not JSON', '{"sql":', ''],
    ['an empty body', '', ''],
    ['a body that is no object', '[1]', ''],
    ['no sql', {}, 'sql'],
    ['blank sql', { sql: '  ' }, 'sql'],
    ['sql that is no text', { sql: 1 }, 'sql'],
    ['a fractional max_scan_bytes', { sql: 'x', max_scan_bytes: 1.5 }, 'max_scan_bytes'],
    ['a negative max_scan_bytes', { sql: 'x', max_scan_bytes: -1 }, 'max_scan_bytes'],
    ['a textual max_scan_bytes', { sql: 'x', max_scan_bytes: '1' }, 'max_scan_bytes'],
    ['a max_scan_bytes of null', { sql: 'x', max_scan_bytes: null }, 'max_scan_bytes'],
    ['a max_scan_seconds of zero', { sql: 'x', max_scan_seconds: 0 }, 'max_scan_seconds'],
    ['a max_scan_seconds out of range', '{"sql":"x","max_scan_seconds":1e999}', 'max_scan_seconds'],
    ['a confirm that is no boolean', { sql: 'x', confirm: 'true' }, 'confirm'],
    ['an unknown field', { sql: 'x', max_scan_byte: 1 }, 'max_scan_byte'],
  ])('answers 400 with the path to %s', async (_, body, path) => {
    await using server = await openTestServer();
    const response = await post(server, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: 'about:blank',
      title: 'Malformed request',
      status: 400,
      request_id: response.headers.get('x-request-id'),
      errors: [{ path, message: expect.stringMatching(/^[a-z]/) }],
    });
    expect(server.sqlRuns).toEqual([]);
  });

  it('passes limits and flags on exactly', async () => {
    await using server = await openTestServer();
    const body = { sql: 'x', max_scan_bytes: 0, max_scan_seconds: 0.5, confirm: true };
    await post(server, body);
    expect(server.sqlRuns).toEqual([{ ...body, format: 'json' }]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', undefined])(
    'answers 415 to a body of type %s',
    async (type) => {
      await using server = await openTestServer();
      const headers = type === undefined ? {} : { 'content-type': type };
      const body = new Blob(['{"sql":"select 1"}']);
      const response = await server.fetch('/v1/sql', { method: 'POST', headers, body });
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({ code: 'request_unsupported_media_type' });
    },
  );

  it('answers 413 with the limit to a body that is too large', async () => {
    await using server = await openTestServer();
    const response = await post(server, { sql: 'x'.repeat(2 << 20) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      code: 'request_body_too_large',
      limit_bytes: 1 << 20,
    });
  });

  it('puts bound, limit and suggestions at the top of a 412', async () => {
    const details = {
      bound: { bytes: 9 },
      limit: { bytes: 1 },
      suggestions: [{ sql: 'select 1' }],
    };
    await using server = await openTestServer({
      sql: () => Promise.reject(new NodeError('scan_limit_exceeded', 'narrow it', { details })),
    });
    const response = await post(server, { sql: 'x' });
    expect(response.status).toBe(412);
    expect(await response.json()).toEqual({
      ...details,
      type: 'about:blank',
      title: 'Scan limit exceeded',
      status: 412,
      code: 'scan_limit_exceeded',
      detail: 'narrow it',
      request_id: response.headers.get('x-request-id'),
    });
  });

  it('answers an explanation as JSON whatever the format', async () => {
    const explanation = { bound: { bytes: 1 } };
    await using server = await openTestServer({
      sql: () => Promise.resolve({ kind: 'explained', explanation }),
    });
    const response = await post(server, { sql: 'x', explain: true }, '?format=csv');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual(explanation);
  });

  it('answers a failure before the first byte as a problem, not as a download', async () => {
    await using server = await openTestServer({
      sql: () =>
        Promise.resolve({
          kind: 'rows',
          stream: failingAfter([], new NodeError('query_timeout', 'narrow it')),
        }),
    });
    const response = await post(server, { sql: 'x' }, '?format=csv');
    expect(response.status).toBe(503);
    expect(response.headers.get('content-disposition')).toBeNull();
    expect(await response.json()).toMatchObject({ code: 'query_timeout' });
  });

  it('cuts the connection when a stream fails after it began', async () => {
    await using server = await openTestServer({
      sql: () =>
        Promise.resolve({ kind: 'rows', stream: failingAfter(['a,b\n'], new Error('disk gone')) }),
    });
    const response = await post(server, { sql: 'x' }, '?format=csv');
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    await expect.poll(() => server.logText()).toContain('disk gone');
  });

  it('cancels the query and closes its stream when the client goes away', async () => {
    const seen = { signal: undefined as AbortSignal | undefined, isClosed: false };
    await using server = await openTestServer({
      sql: (_run, { signal }) => {
        seen.signal = signal;
        return Promise.resolve({ kind: 'rows', stream: endless(() => (seen.isClosed = true)) });
      },
    });
    const client = new AbortController();
    const response = await server.fetch('/v1/sql?format=ndjson', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"sql":"x"}',
      signal: client.signal,
    });
    await response.body?.getReader().read();
    client.abort();
    await expect.poll(() => seen.signal?.aborted).toBe(true);
    await expect.poll(() => seen.isClosed).toBe(true);
  });

  it('cancels a query that has not answered yet when the client goes away', async () => {
    let signal: AbortSignal | undefined;
    await using server = await openTestServer({
      sql: (_run, context) => {
        signal = context.signal;
        return new Promise((_resolve, reject) => {
          context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
        });
      },
    });
    const client = new AbortController();
    const request = server.fetch('/v1/sql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"sql":"x"}',
      signal: client.signal,
    });
    await expect.poll(() => signal).toBeDefined();
    client.abort();
    await expect(request).rejects.toThrow();
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  it('cuts off a client that takes nothing any more, and closes its stream', async () => {
    let isClosed = false;
    await using server = await openTestServer({
      stallMs: 300,
      sql: () => Promise.resolve({ kind: 'rows', stream: flood(() => (isClosed = true)) }),
    });
    const [host, port] = server.server.address.split(':');
    const client = connect(Number(port), host);
    const body = '{"sql":"x"}';
    client.write(
      `POST /v1/sql?format=csv HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await once(client, 'readable');
    await expect.poll(() => isClosed, { timeout: 10_000 }).toBe(true);
    expect(server.logText()).toContain('took no byte');
    client.resume();
    const [error] = (await once(client, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
  });

  it('reads no further than the client takes', async () => {
    let produced = 0;
    await using server = await openTestServer({
      sql: () => Promise.resolve({ kind: 'rows', stream: counted(() => (produced += 1)) }),
    });
    const client = new AbortController();
    const response = await server.fetch('/v1/sql?format=csv', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"sql":"x"}',
      signal: client.signal,
    });
    await response.body?.getReader().read();
    let previous = -1;
    const hasPaused = (): boolean => {
      const isSame = produced === previous;
      previous = produced;
      return isSame;
    };
    await expect.poll(hasPaused, { interval: 100 }).toBe(true);
    expect(produced).toBeLessThan(10_000);
    client.abort();
  });
});

async function* failingAfter(chunks: readonly string[], error: Error): AsyncIterable<Uint8Array> {
  for (const chunk of chunks) {
    yield Buffer.from(chunk);
    await delay(20);
  }
  throw error;
}

async function* flood(onClose: () => void): AsyncIterable<Uint8Array> {
  try {
    for (;;) yield Buffer.alloc(65_536, 'x');
  } finally {
    onClose();
  }
}

async function* endless(onClose: () => void): AsyncIterable<Uint8Array> {
  try {
    for (;;) {
      yield Buffer.from('{"a":1}\n');
      await delay(5);
    }
  } finally {
    onClose();
  }
}

async function* counted(onChunk: () => void): AsyncIterable<Uint8Array> {
  for (let index = 0; index < 10_000; index += 1) {
    onChunk();
    yield Buffer.alloc(64 << 10);
  }
}
