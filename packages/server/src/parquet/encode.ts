import {
  Compression,
  EnabledStatistics,
  Encoding,
  Table,
  type WriterProperties,
  WriterPropertiesBuilder,
  writeParquet,
} from 'parquet-wasm';
import { encodeSchemaMessage, endOfStream, type TableSchema } from '../columns/index.ts';

/** Multiple of DuckDB's vector size, and large enough for its row-group parallelism. */
export const rowGroupMaxRows = 122_880;

/**
 * Encodes Arrow record batch messages as one Parquet file (zstd). Synchronous and CPU bound: worker threads
 * only. Needs about four times the size of the messages in memory.
 */
export function encodeParquet(
  schema: TableSchema,
  recordBatches: readonly Uint8Array[],
): Uint8Array {
  return encodeParquetStream(
    schema,
    concatenate([encodeSchemaMessage(schema), ...recordBatches, endOfStream]),
  );
}

/** As `encodeParquet`, from a whole Arrow stream: schema message, record batch messages, end marker. */
export function encodeParquetStream(schema: TableSchema, stream: Uint8Array): Uint8Array {
  // Both arguments are consumed: nothing of them stays behind in the memory of the module.
  return writeParquet(Table.fromIPCStream(stream), writerProperties(schema));
}

function writerProperties(schema: TableSchema): WriterProperties {
  let properties = new WriterPropertiesBuilder()
    .setCompression(Compression.ZSTD)
    .setMaxRowGroupSize(rowGroupMaxRows)
    // Bounds over the keys or values of maps tell a reader nothing, and cost a comparison for each of them.
    .setStatisticsEnabled(EnabledStatistics.None);
  for (const { name, type } of schema.columns) {
    if (type === 'map<utf8,utf8>') continue;
    properties = properties.setColumnStatisticsEnabled(name, EnabledStatistics.Chunk);
  }
  return properties
    .setColumnDictionaryEnabled(schema.timeColumn, false)
    .setColumnEncoding(schema.timeColumn, Encoding.DELTA_BINARY_PACKED)
    .setCreatedBy('varve')
    .build();
}

function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
