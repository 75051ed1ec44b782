import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { optionPaths } from './config/index.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Starts the program for real, with every listener on a free port. */
async function startNode() {
  const dataDir = await mkdtemp(join(tmpdir(), 'varve-main-'));
  const keys = optionPaths.filter((path) => /[._]listen$/.test(path));
  const flags = keys.flatMap((key) => [`--${key}`, '127.0.0.1:0']);
  const args = [MAIN, 'start', '--print-addresses', '--data_dir', dataDir, ...flags];
  const child: Child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const log: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => log.push(chunk));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    child,
    exited,
    line: line.toString(),
    log: () => Buffer.concat(log).toString(),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function serverAddress(line: string): { readonly host: string; readonly port: number } {
  const { addresses } = JSON.parse(line) as { addresses: { server: string } };
  const [host = '', port = ''] = addresses.server.split(':');
  return { host, port: Number(port) };
}

it('prints its addresses as one JSON line and ends cleanly on SIGTERM', async () => {
  await using node = await startNode();
  expect(node.line).toMatch(/^\{"addresses":\{"server":"127\.0\.0\.1:\d+".*\}\}\n$/);
  const { host, port } = serverAddress(node.line);
  const response = await fetch(`http://${host}:${port}/ready`);
  expect([200, 503]).toContain(response.status);
  await response.text();
  node.child.kill('SIGTERM');
  expect(await node.exited).toEqual([0, null]);
});

it('ends at once on a second signal while a request holds it up', async () => {
  await using node = await startNode();
  const socket = connect(serverAddress(node.line));
  socket.on('error', () => {});
  socket.write('POST /v1/sql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n');
  socket.write('Content-Length: 100\r\nExpect: 100-continue\r\n\r\n');
  await once(socket, 'data');
  node.child.kill('SIGTERM');
  await expect.poll(() => node.log(), { timeout: 5000 }).toContain('stopping');
  node.child.kill('SIGTERM');
  expect(await node.exited).toEqual([143, null]);
  socket.destroy();
});
