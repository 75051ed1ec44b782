import { assert } from '../../base/assert.ts';
import { NodeError } from '../../base/errors.ts';
import type { DataFile } from '../data-file.ts';
import type { DraftManifest, DraftShelf } from './draft.ts';
import type { TableIo } from './io.ts';
import type { TableState } from './load.ts';
import { sumTotals } from './manifest-cache.ts';
import { liveFiles, type ManifestRow } from './manifest-list.ts';
import { addedEntry, entryStatus, type ManifestEntry } from './manifest.ts';
import { rowsToMerge } from './merge.ts';
import type { SnapshotDelta, SnapshotOperation } from './summary.ts';

/** The next snapshot, except for what depends on the version it lands in. New manifests come first. */
export interface SnapshotPlan {
  readonly operation: SnapshotOperation;
  readonly drafts: readonly DraftManifest[];
  readonly kept: readonly ManifestRow[];
  readonly delta: SnapshotDelta;
}

/** Adds files. Applies to any base. Merges small manifests on the way, so their number stays bounded. */
export async function planAppend(
  io: TableIo,
  state: TableState,
  request: { readonly shelf: DraftShelf; readonly files: readonly DataFile[] },
): Promise<SnapshotPlan> {
  const { shelf, files } = request;
  const rows = liveManifests(state);
  assertNew(io, rows, files);
  const merged = rowsToMerge(rows, files.length);
  const inputs = merged.map((row) => row.path).join(' ');
  const draft = await shelf.write(`append ${inputs}`, () => [
    ...files.map((file) => addedEntry(file, shelf.snapshotId, io.layout)),
    ...merged.flatMap((row) => io.cache.get(row).entries.map(asExisting)),
  ]);
  return {
    operation: 'append',
    drafts: [draft],
    kept: rows.filter((row) => !merged.includes(row)),
    delta: { added: sumTotals(files), deleted: sumTotals([]) },
  };
}

export interface RewriteRequest {
  readonly shelf: DraftShelf;
  readonly operation: SnapshotOperation;
  readonly remove: readonly string[];
  readonly add: readonly DataFile[];
}

/**
 * Removes files and adds others in one snapshot. Throws `storage_commit_conflict` when a file to remove is no
 * longer part of the table: another job was first, and what was read from the file may be out of date.
 */
export async function planRewrite(
  io: TableIo,
  state: TableState,
  request: RewriteRequest,
): Promise<SnapshotPlan> {
  const { shelf, operation, add } = request;
  const rows = liveManifests(state);
  const remove = new Set(request.remove);
  assert(remove.size === request.remove.length, 'a file is removed twice');
  assertNew(io, rows, add);
  const drafts: DraftManifest[] = [];
  const kept: ManifestRow[] = [];
  const removed: DataFile[] = [];
  if (add.length > 0) {
    drafts.push(
      await shelf.write('added', () =>
        add.map((file) => addedEntry(file, shelf.snapshotId, io.layout)),
      ),
    );
  }
  for (const row of rows) {
    const { entries, files } = io.cache.get(row);
    const hit = files.filter((file) => remove.has(file.key));
    if (hit.length === 0) {
      kept.push(row);
      continue;
    }
    removed.push(...hit);
    drafts.push(
      await shelf.write(`rewritten ${row.path}`, () =>
        entries.map((entry) =>
          remove.has(entry.file.key)
            ? { ...entry, status: entryStatus.deleted, snapshotId: shelf.snapshotId }
            : asExisting(entry),
        ),
      ),
    );
  }
  if (removed.length !== remove.size) {
    throw new NodeError('storage_commit_conflict', 'files to remove are gone from the table', {
      internal: { expected: remove.size, found: removed.length },
    });
  }
  return { operation, drafts, kept, delta: { added: sumTotals(add), deleted: sumTotals(removed) } };
}

export function asExisting(entry: ManifestEntry): ManifestEntry {
  return { ...entry, status: entryStatus.existing };
}

/** Manifests that list only deletions have served their snapshot; carried on they would pile up for ever. */
function liveManifests(state: TableState): ManifestRow[] {
  return state.rows.filter((row) => liveFiles(row) > 0);
}

function assertNew(io: TableIo, rows: readonly ManifestRow[], files: readonly DataFile[]): void {
  const seen = new Set<string>();
  for (const { key, stats } of files) {
    assert(stats.rows > 0, 'a data file without rows must not be committed');
    assert(!seen.has(key), 'a data file is added twice');
    seen.add(key);
    if (rows.some((row) => io.cache.get(row).keys.has(key))) {
      throw new NodeError('storage_commit_conflict', 'a file to add is already in the table', {
        internal: { key },
      });
    }
  }
}
