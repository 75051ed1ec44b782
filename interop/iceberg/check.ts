/**
 * Compares what PyIceberg finds in a table written by the node's own writer with what was put in: a full scan,
 * pruning by time and by (non-ASCII) service, map values, every kind of snapshot, and the table after a move.
 *
 *   node interop/iceberg/check.ts --python <interpreter with pyiceberg[pyarrow]>
 *
 * Prints one line per check; ends with 1 when one failed, and says so when PyIceberg is missing.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { systemClock } from '../../packages/server/src/base/clock.ts';
import { rawEventsSchema } from '../../packages/server/src/columns/schema.ts';
import { LakeTable, LocalObjectStore } from '../../packages/server/src/lake/index.ts';
import { writeSampleTable, type Expected } from './write-sample-table.ts';

interface Found extends Expected {
  readonly files_planned: number;
  readonly files_total: number;
}

const { values } = parseArgs({ options: { python: { type: 'string', default: 'python3' } } });
const script = new URL('./read_table.py', import.meta.url).pathname;
let failures = 0;

function read(location: string, args: readonly string[] = []): Found {
  const output = execFileSync(values.python, [script, location, ...args], { encoding: 'utf8' });
  return JSON.parse(output) as Found;
}

function report(name: string, isRight: boolean, details: object): void {
  if (!isRight) failures += 1;
  process.stdout.write(`${isRight ? 'ok  ' : 'FAIL'} ${name} ${JSON.stringify(details)}\n`);
}

function compare(name: string, found: Found, expected: Expected, filesAtMost = Infinity): void {
  const { rows, services, checksum, files_planned: planned, files_total: total } = found;
  const isSame = isDeepStrictEqual({ rows, services, checksum }, { ...expected });
  const details = { rows, planned, total, ...(isSame ? {} : { found, expected }) };
  report(name, isSame && planned <= filesAtMost, details);
}

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'iceberg check ü-'));
  try {
    const bucket = join(directory, 'bucket');
    const sample = await writeSampleTable(bucket);
    compare('full scan by URI', read(sample.location), sample.all);
    const path = join(bucket, 'varve', 'raw_events');
    compare('full scan by directory', read(path), sample.all);
    for (const filter of sample.filters) {
      const args = [
        ...(filter.service === undefined ? [] : ['--service', filter.service]),
        ...(filter.fromNs === undefined ? [] : ['--from-ns', filter.fromNs]),
        ...(filter.toNs === undefined ? [] : ['--to-ns', filter.toNs]),
      ];
      const found = read(path, args);
      compare(`pruned scan ${args.join(' ')}`, found, filter.expected, filter.filesAtMost);
    }
    for (const { id, expected } of sample.snapshots) {
      compare(`time travel to ${id}`, read(path, ['--snapshot', id]), expected);
    }
    const moved = join(directory, 'moved');
    await rename(bucket, moved);
    const store = await LocalObjectStore.open(moved);
    await LakeTable.open({ store, schema: rawEventsSchema, nodeId: 'sample', clock: systemClock });
    compare('full scan after a move', read(store.uri('varve/raw_events')), sample.all);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

if (spawnSync(values.python, ['-c', 'import pyiceberg, pyarrow']).status === 0) {
  await main();
  process.exitCode = failures === 0 ? 0 : 1;
} else {
  process.stdout.write(`skip ${values.python} has no pyiceberg[pyarrow]\n`);
}
