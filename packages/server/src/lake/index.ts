export type {
  ColumnStats,
  DataFile,
  DataFileStats,
  RowGroupStats,
  SealedFile,
} from './data-file.ts';
export { FileCatalog, type FileView, type RemovedFile } from './file-catalog/file-catalog.ts';
export type { FileBlock } from './file-catalog/file-block.ts';
export type { Leaf, LeafLayout } from './file-catalog/leaf-layout.ts';
export { leafFacts, type LeafStats, type StatColumns } from './file-catalog/stat-columns.ts';
export type { TableLogger } from './iceberg/io.ts';
export type { JsonInteger } from './iceberg/json.ts';
export type { SweepResult } from './iceberg/sweep.ts';
export type { TableTotals } from './iceberg/summary.ts';
export { LocalObjectStore } from './object-store/local.ts';
export type { ListedObject, ObjectInfo, ObjectStore, StoredObject } from './object-store/port.ts';
export {
  LakeTable,
  type CommitOptions,
  type CommitResult,
  type LakeTableOptions,
  type RewriteOptions,
  type TableSnapshot,
} from './table.ts';
