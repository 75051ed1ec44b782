import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CheckGroup, GroupChecks } from '../suite/check-list.ts';
import { outputOf } from '../suite/command.ts';
import { freePorts, listenOptions } from '../suite/listen-options.ts';
import { isShownOutput, readTestedBlocks, type TestedBlock } from '../suite/tested-blocks.ts';

const repository = join(import.meta.dirname, '../..');
const readyTimeoutMs = 300_000;
const apiPort = 18080;

/** A clone of the last commit with nothing installed. */
interface Clone {
  readonly directory: string;
  readonly logPath: string;
  readonly env: NodeJS.ProcessEnv;
  /** Free ports by the default ones, which may be in use here. */
  readonly ports: ReadonlyMap<number, number>;
}

/** Does what README.md tells a newcomer to do, word for word, with nothing but Node, npm and git at hand. */
export function freshCloneGroup(directory: string): CheckGroup {
  return {
    name: 'README',
    async run(checks) {
      const clone = await makeClone(join(directory, 'fresh'));
      const page = await readFile(join(clone.directory, 'README.md'), 'utf8');
      const blocks = readTestedBlocks(page);
      const start = blocks.find(({ mode }) => mode.kind === 'start');
      assert.ok(start !== undefined, 'no block of README.md is marked as the one that starts');
      const child = launch(clone, start.text);
      const ended = once(child, 'exit');
      try {
        await runBlocks(checks, { clone, blocks, child });
        await checks.check('SIGTERM to npm ends it with 0', async () => {
          child.kill('SIGTERM');
          assert.deepEqual(await ended, [0, null]);
        });
        await checks.check('leaves nothing that git does not ignore', async () => {
          const cwd = clone.directory;
          assert.equal(await outputOf('git', ['status', '--porcelain'], { cwd }), '');
        });
      } finally {
        // Its launcher takes the node with it.
        if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      }
    },
  };
}

async function makeClone(folder: string): Promise<Clone> {
  await mkdir(folder);
  const directory = join(folder, 'clone');
  await outputOf('git', ['clone', '--quiet', '--no-hardlinks', repository, directory]);
  const options = listenOptions();
  const defaults = [...new Set(options.map(({ defaultPort }) => defaultPort))];
  const free = await freePorts(defaults.length);
  const ports = new Map(defaults.map((port, at) => [port, free[at] ?? 0]));
  const listen = options.map(({ variable, defaultPort }) => [
    variable,
    `127.0.0.1:${ports.get(defaultPort)}`,
  ]);
  const env = { ...newcomersEnvironment(), ...Object.fromEntries(listen) } as NodeJS.ProcessEnv;
  env['VARVE_URL'] = `http://127.0.0.1:${ports.get(apiPort)}`;
  return { directory, logPath: join(folder, 'start.log'), env, ports };
}

/** Without what npm adds for its scripts: neither this repository's Node nor its tools are at hand. */
function newcomersEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|VARVE_|INIT_CWD$|NODE$)/.test(name),
  );
  const path = (process.env['PATH'] ?? '').split(delimiter);
  const ownPath = path.filter((part) => !/[/\\](node_modules|node-gyp-bin)([/\\]|$)/.test(part));
  return { ...Object.fromEntries(kept), PATH: ownPath.join(delimiter) };
}

function launch({ directory, env, logPath }: Clone, command: string): ChildProcess {
  const log = openSync(logPath, 'w');
  const child = spawn('bash', ['-c', `exec ${command}`], {
    cwd: directory,
    env,
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  return child;
}

async function runBlocks(
  checks: GroupChecks,
  parts: { clone: Clone; blocks: readonly TestedBlock[]; child: ChildProcess },
): Promise<void> {
  const { clone, blocks, child } = parts;
  const isReady = await checks.check('npm start in a fresh clone becomes ready', () =>
    waitForReady(clone, child),
  );
  const others = blocks.filter(({ mode }) => mode.kind !== 'start');
  assert.ok(others.length > 1, 'README.md has too few tested blocks');
  for (const block of others) {
    const name = `line ${block.line}: ${block.text.split('\n')[0]?.slice(0, 60)}`;
    if (isReady) await checks.check(name, () => runBlock(clone, block));
    else checks.skip(name, 'the node of the fresh clone is not ready');
  }
}

async function waitForReady({ env, logPath }: Clone, child: ChildProcess): Promise<void> {
  const deadlineMs = performance.now() + readyTimeoutMs;
  for (;;) {
    const response = await fetch(`${env['VARVE_URL']}/ready`).catch(() => undefined);
    if (response?.ok === true) return;
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      throw new Error(`not ready:\n${(await readFile(logPath, 'utf8')).slice(-2000)}`);
    }
    await delay(250);
  }
}

async function runBlock(clone: Clone, { mode, text, output }: TestedBlock): Promise<void> {
  const script = text.replace(/(127\.0\.0\.1|localhost):(\d+)/g, (address, host, port) => {
    const free = clone.ports.get(Number(port));
    return free === undefined ? address : `${host}:${free}`;
  });
  const args = ['-euo', 'pipefail', '-c', script];
  const options = { cwd: clone.directory, env: clone.env };
  if (mode.kind === 'run-for') {
    const child = spawn('bash', args, { ...options, stdio: 'ignore', detached: true });
    const ended = once(child, 'exit');
    const early = await Promise.race([ended, delay(mode.seconds * 1000)]);
    if (early === undefined && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    await ended;
    if (early !== undefined) assert.equal(child.exitCode, 0, 'it ended early');
    return;
  }
  const printed = await outputOf('bash', args, options);
  if (output === undefined) return;
  assert.ok(isShownOutput(printed, output), `expected\n${output}\nbut it printed\n${printed}`);
}
