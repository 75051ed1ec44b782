export { encodeParquet, encodeParquetStream, rowGroupMaxRows } from './encode.ts';
export { compareValues, footerStats, readFooterStats } from './footer.ts';
export type { ColumnStats, DataFileStats, RowGroupStats } from './stats.ts';
export { mergeSql } from './merge-sql.ts';
