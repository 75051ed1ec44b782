import { unpackPaths, type PackedFiles } from '../plan/file-selection.ts';
import type { NewestFirst } from '../plan/newest-first.ts';

export interface TimeBatch {
  readonly paths: readonly string[];
  /** Nearest time that a file of a later batch can hold; undefined for the last batch. */
  readonly nearestLeft: bigint | undefined;
}

/** Enough rows for every thread, few enough to be read in a moment. */
const firstBatchWork = 262_144;
const growth = 4;
/** Opening a file takes about as long as reading this many rows. */
const rowsPerFile = 4096;

/** The files in the order of their times, nearest first, in batches that grow; one batch at least. */
export function* timeBatches(
  files: PackedFiles,
  direction: NewestFirst['direction'],
): Generator<TimeBatch> {
  const paths = unpackPaths(files);
  const isNewest = direction === 'newest';
  const times = isNewest ? files.times?.latest : files.times?.earliest;
  const timeOf = (file: number): bigint => times?.[file] ?? 0n;
  const order = Array.from(paths.keys()).toSorted((a, b) => {
    const nearer = isNewest ? timeOf(b) - timeOf(a) : timeOf(a) - timeOf(b);
    return nearer < 0n ? -1 : nearer > 0n ? 1 : 0;
  });
  let batch: string[] = [];
  let work = 0;
  let limit = firstBatchWork;
  if (order.length === 0) yield { paths: [], nearestLeft: undefined };
  for (const [position, file] of order.entries()) {
    batch.push(paths[file] ?? '');
    work += rowsPerFile + (files.times?.rows[file] ?? 0);
    const next = order[position + 1];
    if (work < limit && next !== undefined) continue;
    yield { paths: batch, nearestLeft: next === undefined ? undefined : timeOf(next) };
    batch = [];
    work = 0;
    limit *= growth;
  }
}
