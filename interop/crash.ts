/**
 * Kills a whole node for as many rounds as asked, while senders push to it over HTTP, and prints what was stored.
 * Usage: node interop/crash.ts [--rounds N] [--seed N]. Needs nothing but the repository.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isClean, runRounds } from './crash/run-rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const directory = await mkdtemp(join(tmpdir(), 'varve-crash-'));
const startedMs = performance.now();
const report = await runRounds({
  directory,
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  onRound: (round) => console.error(`round ${round + 1} of ${values.rounds}`),
});
const seconds = Math.round((performance.now() - startedMs) / 1000);
console.log(JSON.stringify({ ...report, seconds }, undefined, 2));
if (isClean(report)) await rm(directory, { recursive: true });
else console.error(`left for inspection: ${directory}`);
process.exitCode = isClean(report) ? 0 : 1;
