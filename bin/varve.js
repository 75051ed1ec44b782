#!/usr/bin/env node
// Runs packages/server/src/main.ts under the pinned Node 24. Plain JavaScript: it must run on any Node from 20 up.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode, noRuntimeMessage } from '../tools/node-runtime.mjs';

// A Ctrl-C under npm arrives twice, from the terminal and from npm; a second one by hand comes later than this.
const repeatWindowMs = 500;
/** @type {NodeJS.Signals[]} */
const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** @param {string} message */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/**
 * The child gets a process group of its own, so that a signal to the launcher's group reaches it only
 * through `forward`, exactly once.
 *
 * @param {string} node
 * @param {string} main
 */
function launch(node, main) {
  const lifeline = new URL('./lifeline.mjs', import.meta.url).href;
  const child = spawn(node, ['--import', lifeline, main, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, VARVE_LIFELINE: '1' },
    detached: true,
  });
  /** @type {Map<NodeJS.Signals, number>} */
  const lastForwarded = new Map();
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    const nowMs = performance.now();
    const lastMs = lastForwarded.get(signal);
    if (lastMs !== undefined && nowMs - lastMs < repeatWindowMs) return;
    lastForwarded.set(signal, nowMs);
    child.kill(signal);
  };
  for (const signal of forwardedSignals) process.on(signal, forward);
  child.on('error', (error) => fail(`cannot start ${node}: ${error.message}`));
  child.on('exit', (code, signal) => {
    for (const name of forwardedSignals) process.off(name, forward);
    if (signal === null) process.exitCode = code ?? 1;
    else process.kill(process.pid, signal);
  });
}

const main = join(root, 'packages', 'server', 'src', 'main.ts');
const node = findNode(root);
if (!existsSync(join(root, 'node_modules'))) fail('nothing is installed yet, run: npm ci');
else if (node === undefined) fail(noRuntimeMessage);
else if (!existsSync(main)) fail(`cannot find ${main}`);
else launch(node, main);
