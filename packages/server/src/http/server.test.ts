import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { health, problemDocument } from '@varve/contract';
import { Secret } from '../base/secret.ts';
import { loadConsoleAssets } from './console-assets.ts';
import { openTestServer, TOKEN } from './server.fixture.ts';

const asBrowser = { headers: { accept: 'text/html,application/xhtml+xml' } };

describe('every answer', () => {
  it('carries the request id of a proxy when it is sane, else one of its own', async () => {
    await using server = await openTestServer();
    const idFor = async (given: string): Promise<string | null> => {
      const response = await server.fetch('/ready', { headers: { 'x-request-id': given } });
      return response.headers.get('x-request-id');
    };
    expect(await idFor('trace-1/a')).toBe('trace-1/a');
    expect(await idFor('a b')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idFor('x'.repeat(200))).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(['/ready', '/v1/health', '/nothing'])('has security headers on %s', async (path) => {
    await using server = await openTestServer();
    const { headers } = await server.fetch(path);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['GET', '/v1/nothing', 404, null],
    ['GET', '/v1/sql', 405, 'POST'],
    ['DELETE', '/v1/health', 405, 'GET, HEAD'],
    ['POST', '/ready', 405, 'GET, HEAD'],
    ['GET', '/%zz', 400, null],
    ['POST', '/', 404, null],
  ])('that is no success is a problem document: %s %s', async (method, path, status, allow) => {
    await using server = await openTestServer();
    const response = await server.fetch(path, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('allow')).toBe(allow);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const document = problemDocument.parse(await response.json());
    expect(document.status).toBe(status);
    expect(document.request_id).toMatch(/./);
  });

  it('is a problem document even to what is not HTTP', async () => {
    await using server = await openTestServer();
    const port = Number(server.server.address.split(':').at(-1));
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('end', () => resolve(text)).on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('application/problem+json');
  });

  it('shows nothing of an unexpected failure, which the log has', async () => {
    await using server = await openTestServer({
      sql: () => Promise.reject(new Error('inner detail 7f')),
    });
    const response = await server.fetch('/v1/sql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"sql":"x"}',
    });
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ code: 'node_internal' });
    expect(text).not.toContain('inner detail');
    expect(server.logText()).toContain('inner detail 7f');
  });
});

describe('node state', () => {
  it('answers health that fits its schema', async () => {
    await using server = await openTestServer();
    const body: unknown = await (await server.fetch('/v1/health')).json();
    expect(health.parse(body)).toEqual(body);
  });

  it('counts its own requests in the metrics', async () => {
    await using server = await openTestServer();
    await server.fetch('/v1/health');
    await expect
      .poll(async () => (await server.fetch('/metrics')).text())
      .toContain('{route="/v1/health",method="GET",status="200"} 1');
    const response = await server.fetch('/metrics');
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('describes every route it has in the OpenAPI document', async () => {
    await using server = await openTestServer();
    const document = (await (await server.fetch('/v1/openapi.json')).json()) as {
      openapi: string;
      paths: Record<string, Record<string, unknown>>;
    };
    expect(document.openapi).toBe('3.1.0');
    for (const [path, operations] of Object.entries(document.paths)) {
      const missing = await server.fetch(path, { method: 'PATCH' });
      const allowed = missing.headers.get('allow')?.toLowerCase().split(', ') ?? [];
      expect(allowed.filter((method) => method !== 'head')).toEqual(Object.keys(operations));
    }
  });
});

describe('console', () => {
  it('serves the page to navigation only, and hashed assets as immutable', async () => {
    await using folder = await builtConsole();
    const consoleAssets = await loadConsoleAssets(folder.path);
    await using server = await openTestServer({ consoleAssets, token: new Secret(TOKEN) });

    for (const path of ['/', '/search?q=a', '/alerts/history']) {
      const page = await server.fetch(path, asBrowser);
      expect([page.status, await page.text()]).toEqual([200, '<!doctype html>']);
      expect(page.headers.get('cache-control')).toBe('no-cache');
      expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    }
    const script = await server.fetch('/assets/app-BX3k29_d.js');
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('content-encoding')).toBe('gzip');
    expect(await script.text()).toBe('x'.repeat(5000));

    expect((await server.fetch('/assets/gone-BX3k29_d.js')).status).toBe(404);
    expect((await server.fetch('/search')).status).toBe(404);
    expect((await server.fetch('/v1/nothing', asBrowser)).status).toBe(401);
    expect((await server.fetch('/..%2f..%2fetc/passwd')).status).toBe(404);
  });

  it('answers 304 to a browser that has the page', async () => {
    await using folder = await builtConsole();
    const consoleAssets = await loadConsoleAssets(folder.path);
    await using server = await openTestServer({ consoleAssets });
    const etag = (await server.fetch('/')).headers.get('etag') ?? '';
    const again = await server.fetch('/', { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  it('is absent when it was not built', async () => {
    const consoleAssets = await loadConsoleAssets('/nonexistent/console');
    await using server = await openTestServer({ consoleAssets });
    expect((await server.fetch('/', asBrowser)).status).toBe(404);
  });
});

describe('closing', () => {
  it('lets a running query finish', async () => {
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const server = await openTestServer({
      sql: () => Promise.resolve({ kind: 'rows', stream: gated(finished) }),
    });
    const response = await server.fetch('/v1/sql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"sql":"x"}',
    });
    const closing = server.server.close(60_000);
    finish();
    expect(await response.text()).toBe('beginend');
    await closing;
  });

  it('cuts a query that outlasts the grace period', async () => {
    const server = await openTestServer({
      sql: () => Promise.resolve({ kind: 'rows', stream: gated(new Promise(() => {})) }),
    });
    const response = await server.fetch('/v1/sql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"sql":"x"}',
    });
    await server.server.close(10);
    await expect(response.text()).rejects.toThrow();
  });
});

async function* gated(gate: Promise<void>): AsyncIterable<Uint8Array> {
  yield Buffer.from('begin');
  await gate;
  yield Buffer.from('end');
}

async function builtConsole(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'varve-console-'));
  await mkdir(join(path, 'assets'));
  await writeFile(join(path, 'index.html'), '<!doctype html>');
  await writeFile(join(path, 'assets', 'app-BX3k29_d.js'), 'x'.repeat(5000));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
