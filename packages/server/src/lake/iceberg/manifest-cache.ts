import { NodeError } from '../../base/errors.ts';
import type { DataFile } from '../data-file.ts';
import { getRequired, type TableIo } from './io.ts';
import { liveFiles, liveRows, type ManifestRow } from './manifest-list.ts';
import { decodeManifest, entryStatus, type ManifestEntry } from './manifest.ts';
import type { TableTotals } from './summary.ts';

const PARALLEL_READS = 8;

/** The live entries of one manifest. Manifests never change, so neither does this. */
export interface CachedManifest {
  readonly entries: readonly ManifestEntry[];
  readonly files: readonly DataFile[];
  readonly keys: ReadonlySet<string>;
  readonly totals: TableTotals;
}

/** Decoded manifests by path. Size bound: those of the snapshots asked for since the last `retain`. */
export class ManifestCache {
  readonly #byPath = new Map<string, CachedManifest>();

  /** Throws when the manifest was not loaded: callers load a state's rows before they work with it. */
  get(row: ManifestRow): CachedManifest {
    const cached = this.#byPath.get(row.path);
    if (cached === undefined) throw new TypeError(`manifest ${row.path} is not loaded`);
    return cached;
  }

  /** `entries` may be in any state; deleted ones are left out. */
  remember(row: ManifestRow, entries: readonly ManifestEntry[]): void {
    const live = entries.filter((entry) => entry.status !== entryStatus.deleted);
    const files = live.map((entry) => entry.file);
    const totals = sumTotals(files);
    if (totals.files !== liveFiles(row) || totals.rows !== liveRows(row)) {
      throw new NodeError('storage_corrupt_table', 'a manifest disagrees with its manifest list', {
        internal: { row, totals },
      });
    }
    const keys = new Set(files.map((file) => file.key));
    this.#byPath.set(row.path, { entries: live, files, keys, totals });
  }

  /** Reads those not seen before. */
  async load(io: TableIo, rows: readonly ManifestRow[]): Promise<void> {
    const missing = rows.filter((row) => !this.#byPath.has(row.path)).values();
    const worker = async (): Promise<void> => {
      for (const row of missing) {
        const body = await getRequired(io, io.layout.keyOf(row.path));
        this.remember(row, await decodeManifest(body, row, io.layout));
      }
    };
    await Promise.all(Array.from({ length: PARALLEL_READS }, worker));
  }

  /** Forgets everything except these. */
  retain(rows: readonly ManifestRow[]): void {
    const kept = new Set(rows.map((row) => row.path));
    for (const path of this.#byPath.keys()) if (!kept.has(path)) this.#byPath.delete(path);
  }
}

export function sumTotals(files: readonly DataFile[]): TableTotals {
  let rows = 0;
  let bytes = 0;
  for (const { stats } of files) {
    rows += stats.rows;
    bytes += stats.sizeBytes;
  }
  return { files: files.length, rows, bytes };
}
