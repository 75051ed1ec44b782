import { NodeError } from '../../base/errors.ts';
import { getRequired, type TableIo } from './io.ts';
import { metadataKey } from './layout.ts';
import { findVersion, loadState, type TableState } from './load.ts';
import { ManifestCache } from './manifest-cache.ts';
import { currentSnapshot, parseMetadata, type TableMetadata } from './metadata.ts';
import { readHint } from './version-hint.ts';

/** Everything that is wrong with the table as it is in the bucket, one sentence each; empty when it is sound. */
export async function verifyTable(io: TableIo): Promise<string[]> {
  const problems: string[] = [];
  const version = await findVersion(io);
  if (version === undefined) return ['there is no table'];
  const body = await getRequired(io, metadataKey(io.layout, version));
  if (hasNull(JSON.parse(Buffer.from(body).toString()))) problems.push('metadata holds a null');
  const metadata = parseMetadata(body);
  checkHint(problems, (await readHint(io))?.version, version);
  checkMetadata(problems, metadata);
  try {
    // Nothing from memory: what a fresh node would read.
    const fresh = { ...io, cache: new ManifestCache() };
    const state = await loadState(fresh, version, metadata);
    await checkSnapshots(problems, fresh, metadata);
    await checkFiles(problems, fresh, state);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    problems.push(`${error.message}: ${JSON.stringify(error.internal)}`);
  }
  return problems;
}

function checkHint(problems: string[], hint: number | undefined, version: number): void {
  if (hint === undefined) problems.push('version hint is missing or unreadable');
  else if (hint > version) problems.push(`version hint ${hint} is ahead of version ${version}`);
}

function checkMetadata(problems: string[], metadata: TableMetadata): void {
  const ids = new Set(metadata.snapshots.map((snapshot) => snapshot['snapshot-id']));
  if (ids.size !== metadata.snapshots.length) problems.push('a snapshot id is used twice');
  const current = currentSnapshot(metadata);
  if (metadata.snapshots.length > 0 && current === undefined) {
    problems.push('the current snapshot is not among the snapshots');
  }
  for (const [name, ref] of Object.entries(metadata.refs)) {
    if (!ids.has(ref['snapshot-id'])) problems.push(`ref ${name} names no snapshot`);
  }
  const sequence = metadata.snapshots.map((snapshot) => snapshot['sequence-number']);
  if (sequence.some((number, index) => index > 0 && number <= (sequence[index - 1] ?? 0))) {
    problems.push('sequence numbers do not rise');
  }
  if (sequence.some((number) => number > metadata['last-sequence-number'])) {
    problems.push('a sequence number is above the last one');
  }
  const times = metadata['snapshot-log'].map((entry) => entry['timestamp-ms']);
  if (times.some((time, index) => index > 0 && time < (times[index - 1] ?? 0))) {
    problems.push('the snapshot log is out of order');
  }
  if (metadata['snapshot-log'].some((entry) => !ids.has(entry['snapshot-id']))) {
    problems.push('the snapshot log names a forgotten snapshot');
  }
}

async function checkSnapshots(
  problems: string[],
  io: TableIo,
  metadata: TableMetadata,
): Promise<void> {
  for (const snapshot of metadata.snapshots) {
    const key = io.layout.keyOf(snapshot['manifest-list']);
    if ((await io.store.head(key)) === undefined) problems.push(`manifest list ${key} is missing`);
  }
}

async function checkFiles(problems: string[], io: TableIo, state: TableState): Promise<void> {
  const { files, rows, bytes } = state.totals;
  const summary = currentSnapshot(state.metadata)?.summary ?? {};
  const expected = [
    ['total-data-files', files],
    ['total-records', rows],
    ['total-files-size', bytes],
  ] as const;
  for (const [key, value] of state.rows.length === 0 ? [] : expected) {
    if (summary[key] !== String(value)) problems.push(`${key} is ${summary[key]}, not ${value}`);
  }
  const seen = new Set<string>();
  for (const { key, stats } of state.rows.flatMap((row) => io.cache.get(row).files)) {
    if (seen.has(key)) problems.push(`data file ${key} is listed twice`);
    seen.add(key);
    const size = (await io.store.head(key))?.size;
    if (size !== stats.sizeBytes) problems.push(`data file ${key} has ${size} bytes`);
  }
}

function hasNull(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === 'object' && Object.values(value).some(hasNull);
}
