/**
 * Compares what PyIceberg finds in a table of ours with what was put in. Needs a `python3` on the path that has
 * `pyiceberg[pyarrow]`; without it these tests are reported as skipped.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { rawEventsSchema } from '../../src/columns/index.ts';
import { LakeTable, LocalObjectStore } from '../../src/lake/index.ts';
import { writeSampleTable, type Expected, type SampleTable } from './sample-table.ts';

const script = fileURLToPath(new URL('../../../../interop/iceberg/read_table.py', import.meta.url));
const isMissing = spawnSync('python3', ['-c', 'import pyiceberg, pyarrow']).status !== 0;

interface Found extends Expected {
  readonly files_planned: number;
}

function read(location: string, args: readonly string[] = []): Found {
  const output = execFileSync('python3', [script, location, ...args], { encoding: 'utf8' });
  return JSON.parse(output) as Found;
}

describe.skipIf(isMissing)('a table read by PyIceberg', { timeout: 60_000 }, () => {
  let directory: string;
  let bucket: string;
  let sample: SampleTable;

  beforeAll(async () => {
    // Blanks and umlauts, because readers disagree with URI encoding.
    directory = await mkdtemp(join(tmpdir(), 'iceberg ü-'));
    bucket = join(directory, 'bucket');
    sample = await writeSampleTable(bucket);
  });

  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  it('has every row, by URI and by directory', () => {
    expect(read(sample.location)).toMatchObject(sample.all);
    expect(read(join(bucket, 'varve', 'raw_events'))).toMatchObject(sample.all);
  });

  it('is pruned by time and by service, also a non-ASCII one, without losing a row', () => {
    for (const filter of sample.filters) {
      const args = [
        ...(filter.service === undefined ? [] : ['--service', filter.service]),
        ...(filter.fromNs === undefined ? [] : ['--from-ns', filter.fromNs]),
        ...(filter.toNs === undefined ? [] : ['--to-ns', filter.toNs]),
      ];
      const found = read(sample.location, args);
      expect(found).toMatchObject(filter.expected);
      expect(found.files_planned).toBeLessThanOrEqual(filter.filesAtMost);
    }
  });

  it('shows what it held at every kind of snapshot', () => {
    for (const { id, expected } of sample.snapshots) {
      expect(read(sample.location, ['--snapshot', id])).toMatchObject(expected);
    }
  });

  it('has every row after its bucket was moved', async () => {
    const moved = join(directory, 'moved');
    await rename(bucket, moved);
    const store = await LocalObjectStore.open(moved);
    await LakeTable.open({ store, schema: rawEventsSchema, nodeId: 'sample', clock: systemClock });
    expect(read(store.uri('varve/raw_events'))).toMatchObject(sample.all);
    await rename(moved, bucket);
  });
});
