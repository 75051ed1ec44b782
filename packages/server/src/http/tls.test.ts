import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { selfSigned } from '../../test/fixture/self-signed.ts';
import { openTestServer, rowsOf, type TestServer } from './server.fixture.ts';

async function tlsFolder(commonName: string) {
  const path = await mkdtemp(join(tmpdir(), 'varve-tls-'));
  const tls = {
    section: 'server.tls',
    certFile: join(path, 'cert.pem'),
    keyFile: join(path, 'key.pem'),
  };
  const write = async (name: string): Promise<void> => {
    const { cert, key } = selfSigned(name);
    await writeFile(tls.certFile, cert);
    await writeFile(tls.keyFile, key);
  };
  await write(commonName);
  return { tls, write, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** Sends a GET over TLS and gives the answer's first line and the name in the certificate. */
async function secureGet(server: TestServer, path: string): Promise<readonly string[]> {
  const port = Number(server.server.address.split(':').at(-1));
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    });
    const names = [''];
    socket.on('secureConnect', () => (names[0] = String(socket.getPeerCertificate().subject.CN)));
    socket.once('data', (chunk) => {
      resolve([...names, chunk.toString().split('\r\n', 1)[0] ?? '']);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

it('serves HTTPS only, with no plaintext fallback', async () => {
  await using folder = await tlsFolder('first');
  await using server = await openTestServer({ tls: folder.tls, sql: rowsOf('{}') });
  expect(await secureGet(server, '/ready')).toEqual(['first', 'HTTP/1.1 200 OK']);
  await expect(server.fetch('/ready')).rejects.toThrow('fetch failed');
});

it('takes a renewed certificate into use, and keeps the old one when the new one is broken', async () => {
  await using folder = await tlsFolder('first');
  await using server = await openTestServer({ tls: folder.tls });
  await folder.write('second');
  await server.server.reloadTls();
  expect(await secureGet(server, '/ready')).toEqual(['second', 'HTTP/1.1 200 OK']);

  await writeFile(folder.tls.certFile, 'nonsense');
  await expect(server.server.reloadTls()).rejects.toMatchObject({ code: 'config_invalid' });
  expect(await secureGet(server, '/ready')).toEqual(['second', 'HTTP/1.1 200 OK']);
});

it('does not start with a certificate that cannot be used', async () => {
  const tls = {
    section: 'server.tls',
    certFile: '/nonexistent/cert.pem',
    keyFile: '/nonexistent/key.pem',
  };
  await expect(openTestServer({ tls })).rejects.toMatchObject({ code: 'config_invalid' });
});
