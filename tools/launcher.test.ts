import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';

/** A stand-in for the node: says what reaches it, and stops on the signal or code it is told on its input. */
const standIn = `
import { createInterface } from 'node:readline';
const say = (line) => process.stdout.write(line + '\\n');
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => say(name));
createInterface({ input: process.stdin }).on('line', (line) => {
  const [verb, value] = line.split(' ');
  if (verb === 'exit') process.exit(Number(value));
  if (verb === 'die') process.kill(process.pid, value);
  say('heard ' + line);
});
say(['ready', process.env.VARVE_LIFELINE ?? 'unset', ...process.argv.slice(2)].join(' '));
`;

interface Run {
  readonly launcher: ChildProcess;
  readonly lines: Interface;
  readonly greeting: string;
  next(): Promise<string>;
  say(line: string): void;
}

const folders: string[] = [];
const launchers: ChildProcess[] = [];

afterEach(() => {
  for (const launcher of launchers.splice(0)) launcher.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function start(args: readonly string[] = []): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'varve-launcher-'));
  folders.push(folder);
  for (const name of ['bin', 'tools/node-runtime.mjs']) {
    cpSync(name, join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  mkdirSync(join(folder, 'node_modules'));
  mkdirSync(join(folder, 'packages/server/src'), { recursive: true });
  writeFileSync(join(folder, 'packages/server/src/main.ts'), standIn);
  const launcher = spawn(process.execPath, [join(folder, 'bin/varve.js'), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  launchers.push(launcher);
  const lines = createInterface({ input: launcher.stdout });
  const iterator = lines[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await iterator.next()).value);
  const greeting = await next();
  const say = (line: string): void => {
    launcher.stdin.write(`${line}\n`);
  };
  return { launcher, lines, greeting, next, say };
}

it('passes arguments through and keeps its own variable to itself', async () => {
  const { greeting } = await start(['start', '--data-dir', 'a b']);
  expect(greeting).toMatch(/^ready unset start --data-dir a b$/);
});

it('exits with the code of the node', async () => {
  const { launcher, say } = await start();
  say('exit 7');
  expect(await once(launcher, 'exit')).toEqual([7, null]);
});

it('dies of the signal the node died of', async () => {
  const { launcher, say } = await start();
  say('die SIGKILL');
  expect(await once(launcher, 'exit')).toEqual([null, 'SIGKILL']);
});

it('delivers a signal to the whole group once', async () => {
  const { launcher, next, say } = await start();
  const group = -Number(launcher.pid);
  process.kill(group, 'SIGINT');
  launcher.kill('SIGINT');
  expect(await next()).toBe('SIGINT');
  say('mark');
  expect(await next()).toBe('heard mark');
  launcher.kill('SIGTERM');
  expect(await next()).toBe('SIGTERM');
});

it('takes the node with it when it is killed', async () => {
  const { launcher, lines } = await start();
  launcher.kill('SIGKILL');
  // The node holds the other end of the output: it closes when the node is gone.
  expect(await once(lines, 'close')).toEqual([]);
});
