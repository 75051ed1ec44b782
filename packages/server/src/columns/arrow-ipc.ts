import {
  Field,
  Int64,
  Map_,
  Schema,
  Struct,
  Table,
  Utf8,
  tableToIPC,
  type DataType,
} from 'apache-arrow';
import { Builder } from 'flatbuffers';
import type { Column, ColumnBatch } from './column-batch.ts';
import { Int64Column } from './int64-column.ts';
import type { MapColumn } from './map-column.ts';
import type { ColumnSpec, TableSchema } from './schema.ts';
import { Utf8Column } from './utf8-column.ts';

// Arrow IPC streaming format (https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format).
// The record batch message is written by hand because it is the WAL's hot path: its pieces are views of the
// column buffers, nothing is copied.

const metadataVersionV5 = 4;
const headerTypeRecordBatch = 3;
const emptyBuffer = new Uint8Array(0);
const zeros = new Uint8Array(8);

/** Ends a stream of messages. */
export const endOfStream = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/**
 * The schema message that precedes record batches in a stream. Field ids travel as `PARQUET:field_id`, which
 * the Parquet encoder turns into Parquet field ids; a column without one stays invisible to other engines.
 */
export function encodeSchemaMessage(schema: TableSchema): Uint8Array {
  const fields = schema.columns.map(
    (spec) => new Field(spec.name, arrowType(spec), true, fieldIdMetadata(spec.fieldId)),
  );
  const stream = tableToIPC(new Table(new Schema(fields)), 'stream');
  return stream.slice(0, stream.length - endOfStream.length);
}

/**
 * One encapsulated record batch message as pieces to be written in order; its length is a multiple of 8.
 * The pieces are views of the batch's buffers: they are valid until the batch changes.
 */
export function encodeRecordBatch(batch: ColumnBatch): Uint8Array[] {
  const body = new BodyWriter();
  for (const column of batch.columns) body.addColumn(column);
  const metadata = recordBatchMetadata(batch.rows, body);
  const metadataPadding = -(8 + metadata.length) & 7;
  const prefix = new Uint8Array(8);
  const view = new DataView(prefix.buffer);
  view.setUint32(0, 0xffffffff, true);
  view.setInt32(4, metadata.length + metadataPadding, true);
  return [prefix, metadata, zeros.subarray(0, metadataPadding), ...body.pieces];
}

function arrowType(spec: ColumnSpec): DataType {
  switch (spec.type) {
    case 'int64':
      return new Int64();
    case 'utf8':
      return new Utf8();
    case 'map<utf8,utf8>': {
      const key = new Field('key', new Utf8(), false, fieldIdMetadata(spec.keyFieldId));
      const value = new Field('value', new Utf8(), true, fieldIdMetadata(spec.valueFieldId));
      return new Map_<Utf8, Utf8>(
        new Field('key_value', new Struct<{ key: Utf8; value: Utf8 }>([key, value]), false),
      );
    }
  }
}

function fieldIdMetadata(fieldId: number | undefined): Map<string, string> | undefined {
  return fieldId === undefined ? undefined : new Map([['PARQUET:field_id', String(fieldId)]]);
}

/** Collects the body buffers of a record batch in the depth-first order that Arrow prescribes. */
class BodyWriter {
  readonly pieces: Uint8Array[] = [];
  /** Pairs of (length, null count). */
  readonly nodes: number[] = [];
  /** Pairs of (offset, length). */
  readonly buffers: number[] = [];
  #size = 0;

  get sizeBytes(): number {
    return this.#size;
  }

  addColumn(column: Column): void {
    this.nodes.push(column.rows, column.nulls);
    this.#add(column.nulls === 0 ? emptyBuffer : column.validityView());
    if (column instanceof Int64Column) {
      this.#add(column.valuesView());
    } else if (column instanceof Utf8Column) {
      this.#addUtf8(column);
    } else {
      this.#addMapEntries(column);
    }
  }

  #addUtf8(column: Utf8Column): void {
    this.#add(column.offsetsView());
    this.#add(column.dataView());
  }

  #addMapEntries(column: MapColumn): void {
    this.#add(column.offsetsView());
    this.nodes.push(column.keys.rows, 0);
    this.#add(emptyBuffer);
    this.addColumn(column.keys);
    this.addColumn(column.values);
  }

  #add(bytes: Uint8Array): void {
    this.buffers.push(this.#size, bytes.length);
    if (bytes.length === 0) return;
    this.pieces.push(bytes);
    const paddingBytes = -bytes.length & 7;
    if (paddingBytes > 0) this.pieces.push(zeros.subarray(0, paddingBytes));
    this.#size += bytes.length + paddingBytes;
  }
}

/** Flatbuffers `Message { version, header: RecordBatch { length, nodes, buffers }, bodyLength }`. */
function recordBatchMetadata(rows: number, body: BodyWriter): Uint8Array {
  const builder = new Builder(1024);
  const buffers = structVector(builder, body.buffers);
  const nodes = structVector(builder, body.nodes);
  builder.startObject(4);
  builder.addFieldInt64(0, BigInt(rows), 0n);
  builder.addFieldOffset(1, nodes, 0);
  builder.addFieldOffset(2, buffers, 0);
  const header = builder.endObject();
  builder.startObject(5);
  builder.addFieldInt16(0, metadataVersionV5, 0);
  builder.addFieldInt8(1, headerTypeRecordBatch, 0);
  builder.addFieldOffset(2, header, 0);
  builder.addFieldInt64(3, BigInt(body.sizeBytes), 0n);
  builder.finish(builder.endObject());
  return builder.asUint8Array();
}

/** A vector of 16-byte structs of two int64; written backwards, as flatbuffers are. */
function structVector(builder: Builder, pairs: readonly number[]): number {
  builder.startVector(16, pairs.length / 2, 8);
  for (let index = pairs.length - 1; index >= 0; index--) {
    builder.writeInt64(BigInt(pairs[index] ?? 0));
  }
  return builder.endVector();
}
