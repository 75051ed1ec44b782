import type { DataFileStats } from '../parquet/index.ts';

export type { ColumnStats, DataFileStats, RowGroupStats } from '../parquet/index.ts';

/** A file of the table in the bucket (`key` is an object-store key). */
export interface DataFile {
  readonly key: string;
  readonly stats: DataFileStats;
}

/** A sealed file on the node's own disk, not yet in the bucket. */
export interface SealedFile {
  readonly path: string;
  /** Identifies the WAL segment it came from; publishing is idempotent by it. */
  readonly segmentId: string;
  readonly stats: DataFileStats;
}
