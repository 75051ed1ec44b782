import { assert } from '../../base/assert.ts';
import type { ManifestRow } from './manifest-list.ts';
import { currentSnapshot, type TableMetadata } from './metadata.ts';
import { countLive } from './summary.ts';

/** What must hold between a version and the next before the next is offered; a breach is a bug of ours. */
export function assertCommitInvariants(
  base: TableMetadata,
  next: TableMetadata,
  context: { readonly rows: readonly ManifestRow[]; readonly location: string },
): void {
  const snapshot = currentSnapshot(next);
  assert(snapshot !== undefined, 'current snapshot is missing');
  const id = snapshot['snapshot-id'];
  assert(next['table-uuid'] === base['table-uuid'], 'table uuid changed');
  assert(
    next['last-sequence-number'] === base['last-sequence-number'] + 1,
    'sequence number is not the next one',
  );
  assert(snapshot['sequence-number'] === next['last-sequence-number'], 'snapshot out of sequence');
  assert(next['last-updated-ms'] > base['last-updated-ms'], 'time of the table went back');
  assert(next.refs['main']?.['snapshot-id'] === id, 'main does not name the current snapshot');
  assert(next['snapshot-log'].at(-1)?.['snapshot-id'] === id, 'snapshot log ends elsewhere');
  assertTotals(snapshot.summary, context.rows);
  assertLocation(next, context);
}

function assertTotals(
  summary: Readonly<Record<string, string>>,
  rows: readonly ManifestRow[],
): void {
  const live = countLive(rows);
  assert(summary['total-data-files'] === String(live.files), 'total files differ from manifests');
  assert(summary['total-records'] === String(live.rows), 'total rows differ from manifests');
  const paths = new Set(rows.map((row) => row.path));
  assert(paths.size === rows.length, 'a manifest is listed twice');
}

function assertLocation(
  metadata: TableMetadata,
  context: { readonly rows: readonly ManifestRow[]; readonly location: string },
): void {
  const prefix = `${context.location}/`;
  assert(metadata.location === context.location, 'location changed');
  for (const row of context.rows) {
    assert(row.path.startsWith(prefix), 'manifest lies outside the table');
  }
  for (const snapshot of metadata.snapshots) {
    assert(snapshot['manifest-list'].startsWith(prefix), 'manifest list lies outside the table');
  }
}
