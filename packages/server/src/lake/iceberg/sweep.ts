/**
 * Deletes metadata objects that nothing needs any more, and finds data files that are in the same position.
 *
 * An object is needed while it is reachable from a snapshot of any version that was the newest one within the
 * grace period: queries, other engines and slow nodes may still work with such a version. It is enough to look
 * at the newest version and at the one that was newest when the period began (the horizon). A file from
 * before the horizon that any version in between can reach was live at the horizon already, and files made
 * after it are not touched.
 *
 * Versions are kept from the horizon and from the version hint on, and the last `VERSIONS_KEPT` always, since
 * a node probes for the successor of the version it knows. A crash in between leaves objects for the next sweep.
 */
import type { ListedObject } from '../object-store/port.ts';
import { discard, getRequired, retrying, type TableIo } from './io.ts';
import { readVersion, type TableState } from './load.ts';
import { ManifestCache } from './manifest-cache.ts';
import { decodeManifestList, type ManifestRow } from './manifest-list.ts';
import { readHint } from './version-hint.ts';

const VERSIONS_KEPT = 100;
/** Uploads and clocks are given this much on top of the grace period. */
const MARGIN_MS = 3_600_000;

export interface SweepResult {
  readonly deletedObjects: number;
  readonly deletedBytes: number;
  /** Objects below `data/` that no version in the grace period can reach. They are not deleted. */
  readonly unreachableData: readonly ListedObject[];
}

interface Horizon {
  readonly version: number;
  /** Newer objects are left alone. */
  readonly createdBeforeMs: number;
}

export async function sweepTable(
  io: TableIo,
  state: TableState,
  graceMs: number,
): Promise<SweepResult> {
  const objects = await listAll(io, 'metadata/');
  const horizon = findHorizon(io, objects, graceMs);
  if (horizon === undefined) return { deletedObjects: 0, deletedBytes: 0, unreachableData: [] };
  const lists = new Set<string>();
  for (const version of new Set([horizon.version, state.version])) {
    const metadata = version === state.version ? state.metadata : await readVersion(io, version);
    for (const snapshot of metadata.snapshots)
      lists.add(io.layout.keyOf(snapshot['manifest-list']));
  }
  const manifests = await readLists(io, lists);
  const firstVersion = await firstKeptVersion(io, state, horizon);
  const unused = objects.filter((object) => {
    const version = versionOf(io, object.key);
    if (version !== undefined) return version < firstVersion;
    if (!object.key.endsWith('.avro')) return false;
    const isReachable = lists.has(object.key) || manifests.has(object.key);
    return !isReachable && object.lastModifiedMs < horizon.createdBeforeMs;
  });
  const unreachableData = await findUnreachableData(io, [...manifests.values()], horizon);
  await discard(
    io,
    unused.map((object) => object.key),
  );
  const deletedBytes = unused.reduce((sum, object) => sum + object.size, 0);
  return { deletedObjects: unused.length, deletedBytes, unreachableData };
}

/** The version that was the newest one when the grace period began; undefined while all are younger. */
function findHorizon(
  io: TableIo,
  objects: readonly ListedObject[],
  graceMs: number,
): Horizon | undefined {
  const beganMs = io.clock.nowMs() - graceMs;
  let found: number | undefined;
  for (const { key, lastModifiedMs } of objects) {
    const version = versionOf(io, key);
    if (version !== undefined && lastModifiedMs <= beganMs) found = Math.max(found ?? 0, version);
  }
  if (found === undefined) return undefined;
  return { version: found, createdBeforeMs: beganMs - MARGIN_MS };
}

async function firstKeptVersion(io: TableIo, state: TableState, horizon: Horizon): Promise<number> {
  const hint = (await readHint(io))?.version ?? 0;
  return Math.min(horizon.version, hint, state.version - VERSIONS_KEPT);
}

async function readLists(
  io: TableIo,
  keys: ReadonlySet<string>,
): Promise<Map<string, ManifestRow>> {
  const manifests = new Map<string, ManifestRow>();
  for (const key of keys) {
    for (const row of await decodeManifestList(await getRequired(io, key))) {
      manifests.set(io.layout.keyOf(row.path), row);
    }
  }
  return manifests;
}

async function findUnreachableData(
  io: TableIo,
  rows: readonly ManifestRow[],
  horizon: Horizon,
): Promise<ListedObject[]> {
  const reachable = new Set<string>();
  for (const row of rows) {
    // A cache of its own for each: they are needed once.
    const cache = new ManifestCache();
    await cache.load(io, [row]);
    for (const key of cache.get(row).keys) reachable.add(key);
  }
  const objects = await listAll(io, 'data/');
  return objects.filter(
    ({ key, lastModifiedMs }) => !reachable.has(key) && lastModifiedMs < horizon.createdBeforeMs,
  );
}

async function listAll(io: TableIo, folder: string): Promise<ListedObject[]> {
  return retrying(io.clock, async () => {
    const objects: ListedObject[] = [];
    for await (const object of io.store.list(`${io.layout.prefix}/${folder}`)) objects.push(object);
    return objects;
  });
}

function versionOf(io: TableIo, key: string): number | undefined {
  const name = key.slice(`${io.layout.prefix}/metadata/`.length);
  const match = /^v(\d{1,15})\.metadata\.json$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}
