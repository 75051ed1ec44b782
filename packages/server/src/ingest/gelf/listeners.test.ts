import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProtocolRig } from '../../../test/fixture/protocol-rig.ts';
import { selfSigned } from '../../../test/fixture/self-signed.ts';
import { NodeError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { Secret } from '../../base/secret.ts';
import { HttpListener, type IngestListener, InflightBudget } from '../http/index.ts';
import { createGelfEndpoint } from './endpoint.ts';
import { createGelfProtocols } from './protocol.ts';
import { GelfTcpListener, type GelfTcpOptions } from './tcp-listener.ts';
import { GelfUdpListener } from './udp-listener.ts';

const maxMessageBytes = 1 << 20;

let rig: ProtocolRig;
let closers: (() => unknown)[];

beforeEach(() => {
  rig = new ProtocolRig(createGelfProtocols({ maxMessageBytes }));
  closers = [];
});

afterEach(async () => {
  for (const close of closers.toReversed()) await close();
});

function settings(name: string) {
  return {
    name,
    address: { host: '127.0.0.1', port: 0 },
    tenant: 'acme',
    maxMessageBytes,
    port: rig,
    budget: new InflightBudget(1 << 24),
    log: silentLogger,
  };
}

function closing<T extends IngestListener>(listener: T): T {
  closers.push(() => listener.close());
  return listener;
}

const bodies = (): readonly (string | null)[] => rig.rows().map(({ body }) => body);
const byText = (a: string | null, b: string | null): number => (a ?? '').localeCompare(b ?? '');
const message = (text: string): string => JSON.stringify({ host: 'h', short_message: text });

describe('UDP', () => {
  async function open() {
    const listener = closing(await GelfUdpListener.open(settings('gelf_udp')));
    const socket = createSocket('udp4');
    closers.push(() => socket.close());
    const send = (datagram: string | Uint8Array): Promise<unknown> =>
      new Promise((resolve, reject) => {
        socket.send(datagram, listener.address.port, '127.0.0.1', (error) =>
          error === null ? resolve(undefined) : reject(error),
        );
      });
    return { listener, send };
  }

  it('stores datagrams and chunked messages of one burst with few requests', async () => {
    const { listener, send } = await open();
    const large = gzipSync(message('large'));
    await send(message('plain'));
    for (const index of [2, 0, 1]) {
      const data = large.subarray(index * 20, index === 2 ? undefined : (index + 1) * 20);
      const head = Uint8Array.of(0x1e, 0x0f, 1, 2, 3, 4, 5, 6, 7, 8, index, 3);
      await send(Buffer.concat([head, data]));
    }
    for (let index = 0; index < 50; index++) await send(message('many'));
    await expect.poll(() => listener.account().stored).toBe(52);
    expect(
      bodies()
        .filter((body) => body !== 'many')
        .toSorted(byText),
    ).toEqual(['large', 'plain']);
    expect(rig.requests.length).toBeLessThan(40);
    expect(rig.rows()[0]).toMatchObject({ source: 'gelf_udp', tenant: 'acme', host: 'h' });
  });

  it('counts what it could not store, by reason', async () => {
    const { listener, send } = await open();
    await send('{oops');
    await send(Uint8Array.of(0x1e, 0x0f, 1));
    await expect.poll(() => listener.account().received).toBe(2);
    rig.failures.push(new NodeError('wal_write_failed', 'no space'));
    await send(message('lost'));
    await expect.poll(() => listener.account().received).toBe(3);
    rig.isOpen = false;
    await send(message('too early'));
    await expect.poll(() => listener.account().received).toBe(4);
    expect(listener.account()).toMatchObject({
      stored: 0,
      accepting: false,
      rejected: { ingest_malformed_body: 2, wal_write_failed: 1, ingest_backpressure: 1 },
    });
    expect(bodies()).toEqual([]);
  });

  it('stores what it has received when it closes', async () => {
    const { listener, send } = await open();
    await send(message('last'));
    await expect.poll(() => rig.requests.length).toBe(1);
    await listener.close();
    expect(bodies()).toEqual(['last']);
  });
});

describe('TCP', () => {
  async function open(options: Partial<GelfTcpOptions> = {}) {
    const listener = closing(
      await GelfTcpListener.open({ ...settings('gelf_tcp'), delimiter: 'nul', ...options }),
    );
    const dial = async (): Promise<Socket> => {
      const socket = connect(listener.address.port, '127.0.0.1');
      closers.push(() => socket.destroy());
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    };
    return { listener, dial };
  }

  it('stores frames that are split anywhere, goes on behind a bad one, takes a last one without NUL', async () => {
    const { listener, dial } = await open();
    const socket = await dial();
    socket.setNoDelay(true);
    const stream = `${message('a')}\0{bad}\0${message('b')}\0${message('last')}`;
    for (let at = 0; at < stream.length; at += 7) {
      socket.write(stream.slice(at, at + 7));
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.end();
    await expect.poll(() => listener.account().received).toBe(4);
    expect(bodies()).toEqual(['a', 'b', 'last']);
    expect(listener.account().rejected).toEqual({ ingest_malformed_body: 1 });
  });

  it('counts a frame over the limit and goes on', async () => {
    const { listener, dial } = await open();
    const socket = await dial();
    socket.write(`${'x'.repeat(maxMessageBytes + 1)}\0${message('next')}\0`);
    await expect.poll(() => listener.account().received).toBe(2);
    expect(bodies()).toEqual(['next']);
    expect(listener.account().rejected).toEqual({ request_body_too_large: 1 });
  });

  it('holds its senders back while events cannot be stored, and loses none of them', async () => {
    const { listener, dial } = await open();
    rig.isOpen = false;
    const socket = await dial();
    const text = message('x'.repeat(100_000));
    const total = 600;
    let isWritten = false;
    const writing = (async () => {
      for (let index = 0; index < total; index++) {
        if (!socket.write(`${text}\0`)) await once(socket, 'drain');
      }
      isWritten = true;
    })();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isWritten).toBe(false);
    expect(listener.account()).toMatchObject({ received: 0, accepting: false });
    rig.failures.push(new NodeError('wal_write_failed', 'no space'));
    rig.isOpen = true;
    await writing;
    await expect.poll(() => listener.account().stored, { timeout: 10_000 }).toBe(total);
    expect(listener.account().rejected).toEqual({});
  }, 20_000);

  it('counts what it has to give up when it closes', async () => {
    const { listener, dial } = await open();
    rig.isOpen = false;
    const socket = await dial();
    socket.write(`${message('a')}\0${message('half').slice(0, 10)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await listener.close(50);
    expect(listener.account()).toMatchObject({
      received: 2,
      rejected: { ingest_backpressure: 1, ingest_incomplete_message: 1 },
    });
  });

  it('speaks TLS with a certificate', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'varve-gelf-'));
    closers.push(() => rm(directory, { recursive: true }));
    const { cert, key } = selfSigned('localhost');
    const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    await writeFile(certFile, cert);
    await writeFile(keyFile, key);
    const { listener } = await open({ tls: { section: 'ingest.gelf.tls', certFile, keyFile } });
    const { port } = listener.address;
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
    socket.end(`${message('secret')}\0`);
    await expect.poll(bodies).toEqual(['secret']);
    await listener.reloadTls();
  });
});

describe('HTTP', () => {
  async function open(tokens: readonly string[] = []) {
    const listener = closing(
      await HttpListener.open({
        ...settings('gelf_http'),
        endpoints: [createGelfEndpoint(1000)],
        tokens: tokens.map((token) => new Secret(token)),
      }),
    );
    const base = `http://127.0.0.1:${listener.address.port}`;
    const send = async (init: RequestInit & { path?: string } = {}) => {
      const response = await fetch(base + (init.path ?? '/gelf'), { method: 'POST', ...init });
      return { status: response.status, headers: response.headers, body: await response.text() };
    };
    return { listener, send };
  }

  it('answers 202 without a body once the message is stored', async () => {
    const { send } = await open();
    const headers = { 'content-encoding': 'gzip', 'x-scope-orgid': 'other' };
    expect(await send({ body: gzipSync(message('a')), headers })).toMatchObject({
      status: 202,
      body: '',
    });
    expect(rig.rows()).toMatchObject([{ body: 'a', tenant: 'other', source: 'gelf_http' }]);
  });

  it('answers what cannot be stored with a status that tells why', async () => {
    const { send } = await open();
    expect((await send({ body: '{oops' })).status).toBe(400);
    expect((await send({ body: message('x'.repeat(2000)) })).status).toBe(413);
    expect((await send({ method: 'GET' })).status).toBe(405);
    expect((await send({ path: '/other' })).status).toBe(404);
    rig.isOpen = false;
    const busy = await send({ body: message('a') });
    expect(busy.status).toBe(503);
    expect(busy.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(bodies()).toEqual([]);
  });

  it('lets browsers ask first, without credentials', async () => {
    const { send } = await open(['secret']);
    const preflight = await send({ method: 'OPTIONS' });
    expect(preflight.status).toBe(200);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect((await send({ body: message('a') })).status).toBe(401);
    const authorization = 'Bearer secret';
    expect((await send({ body: message('a'), headers: { authorization } })).status).toBe(202);
  });
});
