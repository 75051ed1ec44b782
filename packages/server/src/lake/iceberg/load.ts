import { NodeError } from '../../base/errors.ts';
import { getRequired, retrying, type TableIo } from './io.ts';
import type { JsonInteger } from './json.ts';
import { metadataKey } from './layout.ts';
import { decodeManifestList, type ManifestRow } from './manifest-list.ts';
import { currentSnapshot, parseMetadata, type TableMetadata } from './metadata.ts';
import type { TableTotals } from './summary.ts';
import { readHint } from './version-hint.ts';

/** One version of the table with the manifests of its current snapshot, all of them in the cache. */
export interface TableState {
  readonly version: number;
  readonly metadata: TableMetadata;
  readonly rows: readonly ManifestRow[];
  readonly totals: TableTotals;
  /** When this was last known to be the newest version. */
  readonly verifiedAtMs: number;
}

/**
 * How long a version may be trusted to have its successor probed by name alone. Versions are only deleted
 * when they are much older, so within this time a missing successor means there is none; after it the hint,
 * which is never behind a deleted version, is read as well.
 */
const PROBE_TRUST_MS = 60_000;

/** The newest version, or undefined when there is no table. With a known version, usually one request. */
export async function findVersion(
  io: TableIo,
  known?: { readonly version: number; readonly verifiedAtMs: number },
): Promise<number | undefined> {
  const isTrusted = known !== undefined && io.clock.nowMs() - known.verifiedAtMs < PROBE_TRUST_MS;
  if (isTrusted) {
    if (!(await hasVersion(io, known.version + 1))) return known.version;
  }
  const hinted = (await readHint(io))?.version;
  const start = Math.max(hinted ?? 0, known?.version ?? 0);
  // A hint without its file was written by something else, or the table is damaged: look at what is there.
  if (start === 0 || !(await hasVersion(io, start))) return listVersions(io);
  return lastFrom(io, start);
}

async function lastFrom(io: TableIo, start: number): Promise<number> {
  let version = start;
  while (await hasVersion(io, version + 1)) version += 1;
  return version;
}

async function hasVersion(io: TableIo, version: number): Promise<boolean> {
  const key = metadataKey(io.layout, version);
  return (await retrying(io.clock, () => io.store.head(key))) !== undefined;
}

async function listVersions(io: TableIo): Promise<number | undefined> {
  const prefix = `${io.layout.prefix}/metadata/`;
  const highest = await retrying(io.clock, async () => {
    let found = 0;
    for await (const { key } of io.store.list(prefix)) {
      const match = /^v(\d{1,15})\.metadata\.json$/.exec(key.slice(prefix.length));
      if (match !== null) found = Math.max(found, Number(match[1]));
    }
    return found;
  });
  return highest === 0 ? undefined : highest;
}

export async function readVersion(io: TableIo, version: number): Promise<TableMetadata> {
  return parseMetadata(await getRequired(io, metadataKey(io.layout, version)));
}

/** Reads a version's current snapshot; manifests already in the cache are not read again. */
export async function loadState(
  io: TableIo,
  version: number,
  metadata: TableMetadata,
): Promise<TableState> {
  if (metadata.location !== io.layout.location) {
    throw new NodeError('storage_corrupt_table', 'the table was moved while it was open', {
      internal: { location: metadata.location, expected: io.layout.location },
    });
  }
  const snapshot = currentSnapshot(metadata);
  const verifiedAtMs = io.clock.nowMs();
  if (snapshot === undefined) {
    const totals = { files: 0, rows: 0, bytes: 0 };
    return { version, metadata, rows: [], totals, verifiedAtMs };
  }
  const list = await getRequired(io, io.layout.keyOf(snapshot['manifest-list']));
  const rows = await decodeManifestList(list);
  await io.cache.load(io, rows);
  return { version, metadata, rows, totals: totalsOf(io, rows), verifiedAtMs };
}

export function totalsOf(io: TableIo, rows: readonly ManifestRow[]): TableTotals {
  let total = { files: 0, rows: 0, bytes: 0 };
  for (const row of rows) {
    const { files, rows: records, bytes } = io.cache.get(row).totals;
    total = { files: total.files + files, rows: total.rows + records, bytes: total.bytes + bytes };
  }
  return total;
}

/** The state itself when it is still the newest, otherwise the newest one. */
export async function refreshState(io: TableIo, state: TableState): Promise<TableState> {
  const checkedAtMs = io.clock.nowMs();
  const version = await findVersion(io, state);
  if (version === undefined || version < state.version) {
    throw new NodeError('storage_object_missing', 'the table metadata has disappeared', {
      internal: { location: io.layout.location, knownVersion: state.version },
    });
  }
  if (version === state.version) return { ...state, verifiedAtMs: checkedAtMs };
  return loadState(io, version, await readVersion(io, version));
}

export function isSnapshotPresent(metadata: TableMetadata, id: JsonInteger): boolean {
  return metadata.snapshots.some((snapshot) => snapshot['snapshot-id'] === id);
}
