import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { call, exportPath, frame } from '../../../test/fixture/grpc-call.ts';
import { encodeProtobuf } from '../../../test/fixture/otlp-encode.ts';
import { sampleLogs } from '../../../test/fixture/otlp-sample.ts';
import { selfSigned } from '../../../test/fixture/self-signed.ts';
import { snappyDataChunk, snappyLiteral, streamHead } from '../../../test/fixture/snappy-encode.ts';
import { Secret } from '../../base/secret.ts';
import { InflightBudget } from '../http/index.ts';
import { openTestListener } from './grpc.fixture.ts';

const body = encodeProtobuf(sampleLogs);
const emptyReply = Buffer.alloc(5);

const { root } = protobuf.parse(`
  syntax = "proto3";
  message Duration { int64 seconds = 1; int32 nanos = 2; }
  message RetryInfo { Duration retry_delay = 1; }
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message PartialSuccess { int64 rejected_log_records = 1; string error_message = 2; }
  message Response { PartialSuccess partial_success = 1; }`);

const decode = (name: string, bytes: Uint8Array): Record<string, unknown> => {
  const type = root.lookupType(name);
  return type.toObject(type.decode(bytes), { longs: Number });
};

function retryInfoOf(trailers: Record<string, unknown>): object {
  const encoded = Buffer.from(String(trailers['grpc-status-details-bin']), 'base64');
  const status = decode('Status', encoded) as {
    code: number;
    details: { typeUrl: string; value: Uint8Array }[];
  };
  const [detail] = status.details;
  return {
    code: status.code,
    typeUrl: detail?.typeUrl,
    ...decode('RetryInfo', detail?.value ?? new Uint8Array(0)),
  };
}

describe('a call', () => {
  it('is handed to the worker as the same message over HTTP would be', async () => {
    await using test = await openTestListener();
    const result = await call(test.session, [frame(body)]);
    expect(result).toMatchObject({ status: '0', body: emptyReply });
    expect(result.headers).toMatchObject({ ':status': 200, 'content-type': 'application/grpc' });
    expect(test.port.requests).toEqual([
      {
        protocol: 'otlp',
        listener: 'otlp_grpc',
        tenant: 'default',
        method: 'POST',
        path: '/v1/logs',
        query: '',
        headers: { 'content-type': 'application/x-protobuf' },
        body: new Uint8Array(body),
        maxBodyBytes: 16 * 1024 * 1024,
      },
    ]);
    expect(test.listener.account()).toMatchObject({ requests: 1, received: 2, stored: 2 });
  });

  it.each([
    ['gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['zstd', zstdCompressSync(body)],
    ['snappy', snappyLiteral(body)],
    ['snappy', Buffer.concat([streamHead, snappyDataChunk(body)])],
    ['identity', undefined],
  ])('takes a message compressed with %s', async (encoding, compressed) => {
    await using test = await openTestListener();
    const headers = { 'grpc-encoding': encoding };
    const bytes = compressed === undefined ? frame(body) : frame(compressed, 1);
    const { status } = await call(test.session, [bytes], { headers });
    expect(status).toBe('0');
    expect(test.listener.account().stored).toBe(2);
  });

  it('takes a plain message although it announces an encoding', async () => {
    await using test = await openTestListener();
    const headers = { 'grpc-encoding': 'gzip' };
    expect(await call(test.session, [frame(body)], { headers })).toMatchObject({ status: '0' });
  });

  it('takes an empty message as a success', async () => {
    await using test = await openTestListener();
    expect(await call(test.session, [frame(Buffer.alloc(0))])).toMatchObject({ status: '0' });
  });

  it('takes 5 MiB that arrive in many pieces', async () => {
    await using test = await openTestListener();
    const record = Buffer.alloc(1 << 20, 'x');
    const text = root.lookupType('Any').encode({ typeUrl: record.toString() }).finish();
    const field = (number: number, bytes: Uint8Array): Uint8Array =>
      protobuf.Writer.create()
        .uint32(number * 8 + 2)
        .bytes(bytes)
        .finish();
    const scope = field(
      2,
      Buffer.concat(Array.from({ length: 5 }, () => field(2, field(5, text)))),
    );
    const whole = frame(field(1, scope));
    const pieces: Buffer[] = [];
    for (let at = 0; at < whole.length; at += 99_991) pieces.push(whole.subarray(at, at + 99_991));
    expect(await call(test.session, pieces)).toMatchObject({ status: '0' });
    expect(test.listener.account().stored).toBe(5);
  });

  it('says in its reply what was not right with records that are no error', async () => {
    await using test = await openTestListener();
    const { status, body: reply } = await call(test.session, [frame(Buffer.from([0x50, 1]))]);
    expect(status).toBe('0');
    expect(decode('Response', reply.subarray(5))).toEqual({
      partialSuccess: { errorMessage: expect.stringContaining('no log records') },
    });
  });

  it('names its tenant in metadata', async () => {
    await using test = await openTestListener({ tenant: 'acme' });
    await call(test.session, [frame(body)], { headers: { 'x-scope-orgid': 'team-1' } });
    await call(test.session, [frame(body)]);
    expect(test.port.requests.map(({ tenant }) => tenant)).toEqual(['team-1', 'acme']);
    const bad = await call(test.session, [frame(body)], { headers: { 'x-scope-orgid': '../x' } });
    expect(bad.status).toBe('3');
  });

  it('needs one of the tokens when there are any', async () => {
    await using test = await openTestListener({ tokens: [new Secret('secret')] });
    expect(await call(test.session, [frame(body)])).toMatchObject({ status: '16' });
    const wrong = { authorization: 'Bearer other' };
    expect(await call(test.session, [], { headers: wrong, isComplete: false })).toMatchObject({
      status: '16',
      message: 'missing or invalid credentials for this listener',
    });
    const right = { authorization: 'Bearer secret' };
    expect(await call(test.session, [frame(body)], { headers: right })).toMatchObject({
      status: '0',
    });
    expect(test.listener.account()).toMatchObject({
      requests: 3,
      rejectedRequests: { auth_unauthenticated: 2 },
    });
  });
});

describe('a call that is refused', () => {
  it.each([
    ['no message', [], '12'],
    ['two messages', [frame(body), frame(body)], '12'],
    ['bytes after its message', [frame(body), Buffer.from([0])], '12'],
    ['a flag that is neither 0 nor 1', [frame(body, 2)], '13'],
    ['a cut prefix', [Buffer.from([0, 0, 0])], '13'],
    ['a cut message', [frame(body).subarray(0, 40)], '13'],
    ['a compressed message but no encoding', [frame(gzipSync(body), 1)], '13'],
    ['a message that is no protobuf', [frame(Buffer.from('ffffffff', 'hex'))], '3'],
  ])('carries %s', async (_, chunks, status) => {
    await using test = await openTestListener();
    const result = await call(test.session, chunks);
    expect(result).toMatchObject({ status, message: expect.any(String) });
    expect(result.trailers['grpc-status-details-bin']).toBeUndefined();
    expect(test.listener.account()).toMatchObject({
      stored: 0,
      rejectedRequests: { ingest_malformed_body: 1 },
    });
    expect(test.budget.usedBytes).toBe(0);
  });

  it('says it is compressed and is not', async () => {
    await using test = await openTestListener();
    const headers = { 'grpc-encoding': 'gzip' };
    const result = await call(test.session, [frame(body, 1)], { headers });
    expect(result).toMatchObject({ status: '3', message: 'the body does not decompress' });
  });

  it('uses an encoding that is not known, and learns those that are', async () => {
    await using test = await openTestListener();
    const headers = { 'grpc-encoding': 'br' };
    const result = await call(test.session, [frame(body, 1)], { headers });
    expect(result.status).toBe('12');
    expect(result.headers['grpc-accept-encoding']).toBe('identity,gzip,deflate,zstd,snappy');
  });

  it('announces more than a message may have; nothing is reserved for it', async () => {
    await using test = await openTestListener();
    const prefix = Buffer.from([0, 1, 0, 0, 1]);
    const result = await call(test.session, [prefix], { isComplete: false });
    expect(result).toMatchObject({ status: '8', message: expect.stringContaining('16777216') });
    expect(result.trailers['grpc-status-details-bin']).toBeUndefined();
    expect(test.budget.usedBytes).toBe(0);
  });

  it('inflates to more than a message may have', async () => {
    await using test = await openTestListener();
    const bomb = gzipSync(Buffer.alloc((16 << 20) + 1));
    const headers = { 'grpc-encoding': 'gzip' };
    const result = await call(test.session, [frame(bomb, 1)], { headers });
    expect(result).toMatchObject({ status: '8' });
    expect(result.trailers['grpc-status-details-bin']).toBeUndefined();
  });

  it('names another method or service', async () => {
    await using test = await openTestListener();
    for (const path of ['/', `${exportPath}/`, exportPath.replace('logs', 'traces'), '/x']) {
      expect(await call(test.session, [frame(body)], { path })).toMatchObject({ status: '12' });
    }
  });

  it('comes while too much received data is not yet published; it is told when to retry', async () => {
    await using test = await openTestListener();
    test.port.isFull = true;
    const result = await call(test.session, [frame(body)]);
    expect(result.status).toBe('14');
    expect(retryInfoOf(result.trailers)).toEqual({
      code: 14,
      typeUrl: 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: { seconds: 2 },
    });
    test.port.isFull = false;
    expect(await call(test.session, [frame(body)])).toMatchObject({ status: '0' });
  });

  it('finds no room in the bytes that all listeners share', async () => {
    const budget = new InflightBudget(1 << 20);
    await using test = await openTestListener({ budget });
    const other = budget.open();
    other.grow((1 << 20) - 10);
    const result = await call(test.session, [frame(body)]);
    expect(result.status).toBe('14');
    expect(retryInfoOf(result.trailers)).toMatchObject({ code: 14 });
    other.release();
    expect(await call(test.session, [frame(body)])).toMatchObject({ status: '0' });
    expect(budget.usedBytes).toBe(0);
  });
});

describe('a call that does not complete', () => {
  it('ends at its deadline', async () => {
    await using test = await openTestListener();
    const chunks = [frame(body).subarray(0, 50)];
    const headers = { 'grpc-timeout': '20m' };
    const result = await call(test.session, chunks, { headers, isComplete: false });
    expect(result).toMatchObject({ status: '4', message: 'the message did not arrive in time' });
    expect(test.budget.usedBytes).toBe(0);
  });

  it('ends when nothing comes any more', async () => {
    await using test = await openTestListener({ timeouts: { messageIdleMs: 20 } });
    const result = await call(test.session, [Buffer.from([0, 0])], { isComplete: false });
    expect(result.status).toBe('4');
  });

  it('gives back what it has taken when its sender cancels it or goes away', async () => {
    await using test = await openTestListener();
    for (const end of ['cancel', 'disconnect']) {
      const stream = test.session.request({
        ':method': 'POST',
        ':path': exportPath,
        'content-type': 'application/grpc',
      });
      stream.on('error', () => {});
      stream.write(frame(body).subarray(0, 50));
      await expect.poll(() => test.budget.usedBytes).toBe(body.length);
      if (end === 'cancel') stream.close(8);
      else test.session.destroy();
      await expect.poll(() => test.budget.usedBytes).toBe(0);
    }
    expect(test.listener.account().disconnected).toBe(1);
    expect(test.port.requests).toEqual([]);
  });
});

describe('a connection', () => {
  it('is told to go away when the node stops, after its calls are answered', async () => {
    await using test = await openTestListener();
    const { promise, resolve } = Promise.withResolvers<void>();
    test.port.gate = promise;
    const goaway = once(test.session, 'goaway');
    const result = call(test.session, [frame(body)]);
    await expect.poll(() => test.port.requests.length).toBe(1);
    const closed = test.listener.close();
    expect((await goaway)[0]).toBe(0);
    resolve();
    expect(await result).toMatchObject({ status: '0' });
    await closed;
  });

  it('ends when its peer answers no pings', async () => {
    await using test = await openTestListener({ timeouts: { pingMs: 20, pingAnswerMs: 20 } });
    const socket = connectTcp(test.listener.address.port, '127.0.0.1');
    socket.resume();
    await once(socket, 'close');
    expect(await call(test.session, [frame(body)])).toMatchObject({ status: '0' });
  });

  it('ends when it has carried no call for long', async () => {
    await using test = await openTestListener({ timeouts: { pingMs: 20, idleMs: 10 } });
    expect((await once(test.session, 'goaway'))[0]).toBe(0);
  });

  it('ends when it begins calls only to reset them', async () => {
    await using test = await openTestListener();
    const closed = new Promise((resolve) => test.session.once('close', resolve));
    for (let round = 0; round < 40 && !test.session.closed; round++) {
      for (let i = 0; i < 100 && !test.session.closed; i++) {
        const stream = test.session.request({ ':method': 'POST', ':path': exportPath });
        stream.on('error', () => {});
        stream.close(8);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closed;
    expect(test.session.destroyed).toBe(true);
  });

  it('that does not speak HTTP/2 does no harm', async () => {
    await using test = await openTestListener();
    const socket = connectTcp(test.listener.address.port, '127.0.0.1');
    socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    expect(await call(test.session, [frame(body)])).toMatchObject({ status: '0' });
  });

  it('is encrypted when there is a certificate', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'varve-grpc-'));
    const tls = {
      section: 'ingest.otlp.grpc.tls',
      certFile: join(folder, 'cert.pem'),
      keyFile: join(folder, 'key.pem'),
    };
    const { cert, key } = selfSigned('localhost');
    await writeFile(tls.certFile, cert);
    await writeFile(tls.keyFile, key);
    await using test = await openTestListener({ tls });
    await rm(folder, { recursive: true });
    expect(await call(test.session, [frame(body)])).toMatchObject({ status: '0' });
    await expect(test.listener.reloadTls()).rejects.toMatchObject({ code: 'config_invalid' });
  });
});

describe('a request that is no call', () => {
  it('is answered when it is a probe', async () => {
    await using test = await openTestListener({ tokens: [new Secret('secret')] });
    const headers = { 'content-type': 'text/plain', ':method': 'GET' };
    for (const path of ['/', '/health']) {
      const result = await call(test.session, [], { path, headers });
      expect(result.headers[':status']).toBe(200);
      expect(result.body.toString()).toBe('ok\n');
    }
    const { headers: other } = await call(test.session, [], {
      headers: { 'content-type': 'application/json' },
    });
    expect(other[':status']).toBe(415);
  });

  it('may ask for the health of the service, without credentials', async () => {
    await using test = await openTestListener({ tokens: [new Secret('secret')] });
    const path = '/grpc.health.v1.Health/Check';
    const check = (service: string) =>
      call(test.session, [frame(root.lookupType('Any').encode({ typeUrl: service }).finish())], {
        path,
      });
    const serving = frame(Buffer.from([8, 1]));
    expect(await check('')).toMatchObject({ status: '0', body: serving });
    const known = 'opentelemetry.proto.collector.logs.v1.LogsService';
    expect(await check(known)).toMatchObject({ status: '0', body: serving });
    expect(await check('other')).toMatchObject({ status: '5' });
    expect(await call(test.session, [frame(Buffer.alloc(1025))], { path })).toMatchObject({
      status: '8',
    });
  });
});
