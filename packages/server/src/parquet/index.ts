export { encodeParquet, encodeParquetStream } from './encode.ts';
export { footerStats, readFooterStats } from './footer.ts';
export type { ColumnStats, DataFileStats, RowGroupStats } from './stats.ts';
export { mergeSql } from './merge-sql.ts';
