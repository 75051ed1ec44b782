/** Test support: tables of made-up files in a temporary directory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../base/clock.ts';
import { rawEventsSchema } from '../../columns/index.ts';
import type { DataFile } from '../data-file.ts';
import { LocalObjectStore } from '../object-store/local.ts';
import type { ObjectStore } from '../object-store/port.ts';
import { MemoryObjectStore } from '../object-store/testing/memory.ts';
import { LakeTable } from '../table.ts';

export const TABLE_PREFIX = 'varve/raw_events';

/** Backs off without waiting. */
export const eagerClock: Clock = { ...systemClock, sleep: async () => undefined };

export interface TableFixture {
  readonly root: string;
  readonly store: ObjectStore;
  openTable(options?: {
    store?: ObjectStore;
    nodeId?: string;
    maxSnapshots?: number;
  }): Promise<LakeTable>;
  /** Puts a data object and describes it; the same name gives the same file. */
  addFile(name: string, rows?: number): Promise<DataFile>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A table in memory has no `root`. */
export async function tableFixture(kind: 'local' | 'memory' = 'local'): Promise<TableFixture> {
  const root = kind === 'memory' ? '' : await mkdtemp(join(tmpdir(), 'lake-table-'));
  const store = kind === 'memory' ? new MemoryObjectStore() : await LocalObjectStore.open(root);
  return {
    root,
    store,
    openTable: async (options = {}) =>
      LakeTable.open({
        store,
        schema: rawEventsSchema,
        nodeId: 'node-1',
        clock: eagerClock,
        ...options,
      }),
    addFile: async (name, rows = 10) => {
      const file = describeFile(name, rows);
      await store.put(file.key, Buffer.alloc(file.stats.sizeBytes));
      return file;
    },
    [Symbol.asyncDispose]: async () => {
      if (kind === 'local') await rm(root, { recursive: true, force: true });
    },
  };
}

export function describeFile(name: string, rows = 10): DataFile {
  const columns = rawEventsSchema.columns.flatMap((column) => {
    if (column.type === 'map<utf8,utf8>') return [];
    const bounds = column.type === 'int64' ? { min: 1n, max: 2n } : { min: name, max: name };
    const { name: path, fieldId } = column;
    return [{ path, fieldId, compressedBytes: 7, values: rows, nulls: 0, ...bounds }];
  });
  return {
    key: `${TABLE_PREFIX}/data/${name}.parquet`,
    stats: { rows, sizeBytes: rows * 3, columns, rowGroups: [] },
  };
}

export function fileNames(table: LakeTable): string[] {
  return table
    .current()
    .files.map(({ key }) => key.slice(`${TABLE_PREFIX}/data/`.length, -'.parquet'.length))
    .sort();
}
