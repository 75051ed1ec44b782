/**
 * What the planner and the Iceberg writer need to know of one Parquet file, taken from its footer once.
 * Plain data: it crosses thread boundaries by structured clone.
 */
export interface DataFileStats {
  readonly rows: number;
  readonly sizeBytes: number;
  readonly columns: readonly ColumnStats[];
  /** Empty when only the table's manifests are known, which do not hold them. */
  readonly rowGroups: readonly RowGroupStats[];
}

/** One leaf column over the whole file; a map has two leaves, `attributes.key` and `attributes.value`. */
export interface ColumnStats {
  readonly path: string;
  /** Absent for physical-only columns. */
  readonly fieldId?: number;
  /** Sum of the compressed chunk sizes. */
  readonly compressedBytes: number;
  /** Nulls included. */
  readonly values: number;
  readonly nulls?: number;
  /** Absent when unknown. Strings may be truncated to a lower or upper bound, and compare by UTF-8 bytes. */
  readonly min?: bigint | string;
  readonly max?: bigint | string;
}

export interface RowGroupStats {
  readonly rows: number;
  /** Offset of the first page, as in Iceberg `split_offsets`. */
  readonly offset: number;
  /** Same order as `DataFileStats.columns`. */
  readonly columns: readonly Omit<ColumnStats, 'path' | 'fieldId'>[];
}
