/**
 * Gives a table whose directory was moved paths that are right again: Iceberg v2 paths are absolute.
 *
 * Manifests are written again with the new paths, entries keeping their sequence numbers, and one new version
 * with the new location holds a single snapshot of them. Data files are not touched. Older snapshots are
 * forgotten, since their manifests still carry the old paths. A crash before the new version leaves unused
 * manifests; afterwards the table is complete. Cost: one pass over the live files' manifests.
 */
import { randomUUID } from 'node:crypto';
import { DraftShelf, toRow } from './draft.ts';
import { getRequired, putUnique, type TableIo } from './io.ts';
import { metadataKey, type TableLayout } from './layout.ts';
import {
  decodeManifestList,
  encodeManifestList,
  liveFiles,
  type ManifestRow,
} from './manifest-list.ts';
import { decodeManifest, entryStatus, relocateEntry, type ManifestEntry } from './manifest.ts';
import { currentSnapshot, encodeMetadata, type Snapshot, type TableMetadata } from './metadata.ts';
import { publishVersion } from './publish-version.ts';
import { newSnapshotId } from './snapshot-id.ts';
import { buildSummary, countLive } from './summary.ts';
import { advanceHint } from './version-hint.ts';

export interface RelocateOptions {
  readonly version: number;
  readonly metadata: TableMetadata;
  /** The layout under the location that the metadata names. */
  readonly from: TableLayout;
}

/** Writes the version after `options.version`; false when another node did so first. */
export async function relocateTable(io: TableIo, options: RelocateOptions): Promise<boolean> {
  const { version, metadata } = options;
  const timestampMs = Math.max(io.clock.nowMs(), metadata['last-updated-ms'] + 1);
  const current = currentSnapshot(metadata);
  const moved = {
    ...metadata,
    location: io.layout.location,
    'last-updated-ms': timestampMs,
    snapshots: [],
    statistics: [],
    'partition-statistics': [],
    'snapshot-log': [],
    'metadata-log': [],
  };
  io.logger?.info(
    { from: metadata.location, to: io.layout.location, key: metadataKey(io.layout, version + 1) },
    'the table was moved, rewriting its paths',
  );
  const snapshot =
    current === undefined ? undefined : await moveSnapshot(io, options, { current, timestampMs });
  const next = snapshot === undefined ? moved : withOnlySnapshot(moved, snapshot);
  const isWon = await publishVersion(io, {
    version: version + 1,
    body: encodeMetadata(next),
    snapshotId: snapshot?.['snapshot-id'],
  });
  if (isWon) await advanceHint(io, version + 1);
  return isWon;
}

function withOnlySnapshot(metadata: TableMetadata, snapshot: Snapshot): TableMetadata {
  const id = snapshot['snapshot-id'];
  return {
    ...metadata,
    'last-sequence-number': snapshot['sequence-number'],
    'current-snapshot-id': id,
    refs: { main: { 'snapshot-id': id, type: 'branch' } },
    snapshots: [snapshot],
    'snapshot-log': [{ 'timestamp-ms': snapshot['timestamp-ms'], 'snapshot-id': id }],
  };
}

async function moveSnapshot(
  io: TableIo,
  options: RelocateOptions,
  context: { readonly current: Snapshot; readonly timestampMs: number },
): Promise<Snapshot> {
  const { metadata, from } = options;
  const shelf = new DraftShelf(io, newSnapshotId());
  const { snapshotId } = shelf;
  const sequenceNumber = metadata['last-sequence-number'] + 1;
  const listBody = await getRequired(io, from.keyOf(context.current['manifest-list']));
  const rows: ManifestRow[] = [];
  let bytes = 0;
  for (const row of await decodeManifestList(listBody)) {
    if (liveFiles(row) === 0) continue;
    const entries = await readLive(io, row, from);
    bytes += entries.reduce((sum, entry) => sum + entry.file.stats.sizeBytes, 0);
    const draft = await shelf.write(row.path, () =>
      entries.map((entry) => ({
        ...relocateEntry(entry, io.layout),
        status: entryStatus.existing,
      })),
    );
    rows.push(toRow(io.layout, draft, { snapshotId, sequenceNumber }));
  }
  const listKey = `${io.layout.prefix}/metadata/snap-${snapshotId}-1-${randomUUID()}.avro`;
  const header = { snapshotId, parentSnapshotId: undefined, sequenceNumber };
  await putUnique(io, listKey, await encodeManifestList(header, rows));
  const none = { files: 0, rows: 0, bytes: 0 };
  return {
    'snapshot-id': snapshotId,
    'sequence-number': sequenceNumber,
    'timestamp-ms': context.timestampMs,
    summary: buildSummary('replace', { added: none, deleted: none }, { ...countLive(rows), bytes }),
    'manifest-list': io.layout.uriOf(listKey),
    'schema-id': metadata['current-schema-id'],
  };
}

async function readLive(
  io: TableIo,
  row: ManifestRow,
  from: TableLayout,
): Promise<ManifestEntry[]> {
  const body = await getRequired(io, from.keyOf(row.path));
  const entries = await decodeManifest(body, row, from);
  return entries.filter((entry) => entry.status !== entryStatus.deleted);
}
