import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { expect, it } from 'vitest';
import { call, frame } from '../../test/fixture/grpc-call.ts';
import { encodeProtobuf } from '../../test/fixture/otlp-encode.ts';
import { sampleLogs } from '../../test/fixture/otlp-sample.ts';
import { selfSigned } from '../../test/fixture/self-signed.ts';
import { optionPaths, resolveConfig } from '../config/index.ts';
import { createLogger } from '../telemetry/index.ts';
import { openNode } from './index.ts';

const listenPaths = optionPaths.filter((path) => /[._]listen$/.test(path));
const httpListeners = listenPaths.filter((path) => path.endsWith('.listen'));

/** A node with every listener on a free port, those for ingest with a certificate and the token `key`. */
async function openTestNode() {
  const directory = await mkdtemp(join(tmpdir(), 'varve-listeners-'));
  const files = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
  const renew = async (name: string): Promise<void> => {
    const { cert, key } = selfSigned(name);
    await writeFile(files.cert, cert);
    await writeFile(files.key, key);
  };
  await renew('first');
  const settings: Record<string, string> = { data_dir: join(directory, 'data') };
  for (const path of listenPaths) settings[path] = '127.0.0.1:0';
  for (const path of httpListeners.filter((one) => one.startsWith('ingest.'))) {
    const section = path.replace(/\.listen$/, '');
    settings[`${section}.tls.cert_file`] = files.cert;
    settings[`${section}.tls.key_file`] = files.key;
    settings[`${section}.tokens`] = 'key';
  }
  const variables = Object.entries(settings).map(([path, value]) => [
    `VARVE_${path.toUpperCase().replaceAll('.', '__')}`,
    value,
  ]);
  const { config } = resolveConfig({ env: Object.fromEntries(variables) });
  const node = await openNode({ config, logger: createLogger({ ...config.log, level: 'fatal' }) });
  return {
    node,
    renew,
    addressOf: (listener: string): string => node.addresses[listener] ?? '',
    async [Symbol.asyncDispose]() {
      await node.close();
      await rm(directory, { recursive: true });
    },
  };
}

function certificateNameOf(address: string): Promise<unknown> {
  const [host = '', port = ''] = address.split(':');
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

function deliver(address: string, body: string): Promise<number | undefined> {
  const headers = { 'x-amz-firehose-request-id': 'r1', 'x-amz-firehose-access-key': 'key' };
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, rejectUnauthorized: false, agent: false };
    request(`https://${address}/`, options, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end(body);
  });
}

it('takes events over TLS by gRPC and from Firehose, and renews the certificates of all listeners', async () => {
  await using test = await openTestNode();
  const { node, addressOf } = test;
  const session = connect(`https://${addressOf('otlp_grpc')}`, { rejectUnauthorized: false });
  const bearer = { headers: { authorization: 'Bearer key' } };
  const result = await call(session, [frame(encodeProtobuf(sampleLogs))], bearer);
  expect(result.status).toBe('0');

  const records = [{ data: Buffer.from('one\ntwo').toString('base64') }];
  const body = JSON.stringify({ requestId: 'r1', timestamp: Date.now(), records });
  expect(await deliver(addressOf('firehose'), body)).toBe(200);
  expect(await deliver(addressOf('firehose'), body)).toBe(200);

  const response = await fetch(`http://${addressOf('server')}/v1/health`);
  const health = (await response.json()) as { ingest: { listeners: { name: string }[] } };
  const accounts = new Map(health.ingest.listeners.map((one) => [one.name, one]));
  expect(accounts.get('otlp_grpc')).toMatchObject({ received: 2, stored: 2 });
  expect(accounts.get('firehose')).toMatchObject({ received: 4, stored: 2, deduplicated: 2 });

  await test.renew('second');
  await node.reload();
  for (const listener of ['otlp_http', 'otlp_grpc', 'bulk', 'loki', 'firehose']) {
    expect(await certificateNameOf(addressOf(listener))).toBe('second');
  }
  session.close();
});
