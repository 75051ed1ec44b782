/**
 * Kills the ingest loop for as many rounds as asked and reports what was lost or doubled.
 * Usage: node tools/crash-rounds.ts [rounds] [seed]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCrashRounds } from '../packages/server/test/crash/harness.ts';
import { IngestTarget } from '../packages/server/test/crash/ingest-target.ts';

const [rounds = '200', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2);
const directory = await mkdtemp(join(tmpdir(), 'varve-crash-'));
const report = await runCrashRounds({
  target: new IngestTarget(directory),
  rounds: Number(rounds),
  seed: Number(seed),
  clients: 16,
  roundMaxMs: 400,
  onRound: (round) => process.stderr.write(`\rround ${round + 1} of ${rounds}`),
});
process.stderr.write('\n');
const isClean = report.lost.length + report.doubled.length + report.unknown.length === 0;
console.log(JSON.stringify({ seed: Number(seed), ...report }, null, 2));
if (isClean) await rm(directory, { recursive: true });
else console.error(`left for inspection: ${directory}`);
process.exitCode = isClean ? 0 : 1;
