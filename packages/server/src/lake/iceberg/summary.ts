import { liveFiles, liveRows, type ManifestRow } from './manifest-list.ts';

export interface TableTotals {
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
}

export interface SnapshotDelta {
  readonly added: TableTotals;
  readonly deleted: TableTotals;
}

export type SnapshotOperation = 'append' | 'replace' | 'delete' | 'overwrite';

const PRODUCT = 'varve';

/** Every key is always written: some readers refuse a snapshot without running totals. */
export function buildSummary(
  operation: SnapshotOperation,
  delta: SnapshotDelta,
  totals: TableTotals,
): Record<string, string> {
  return {
    operation,
    'added-data-files': String(delta.added.files),
    'deleted-data-files': String(delta.deleted.files),
    'added-records': String(delta.added.rows),
    'deleted-records': String(delta.deleted.rows),
    'added-files-size': String(delta.added.bytes),
    'removed-files-size': String(delta.deleted.bytes),
    'changed-partition-count': '1',
    'total-data-files': String(totals.files),
    'total-records': String(totals.rows),
    'total-files-size': String(totals.bytes),
    'total-delete-files': '0',
    'total-position-deletes': '0',
    'total-equality-deletes': '0',
    'engine-name': PRODUCT,
  };
}

export function applyDelta(base: TableTotals, delta: SnapshotDelta): TableTotals {
  return {
    files: base.files + delta.added.files - delta.deleted.files,
    rows: base.rows + delta.added.rows - delta.deleted.rows,
    bytes: base.bytes + delta.added.bytes - delta.deleted.bytes,
  };
}

/** Files and rows as the manifest list counts them. */
export function countLive(rows: readonly ManifestRow[]): { files: number; rows: number } {
  let files = 0;
  let records = 0;
  for (const row of rows) {
    files += liveFiles(row);
    records += liveRows(row);
  }
  return { files, rows: records };
}
