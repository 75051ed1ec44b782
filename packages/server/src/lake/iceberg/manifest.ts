import type { DataFile } from '../data-file.ts';
import { AvroReader, AvroWriter, corruptAvro } from './avro-binary.ts';
import { decodeAvroFile, encodeAvroFile } from './avro-container.ts';
import { dataFileSchema, manifestEntrySchemaText } from './avro-schemas.ts';
import {
  isRecordSchema,
  isRecordValue,
  readValue,
  writeValue,
  type AvroRecord,
  type AvroRecordSchema,
  type AvroValue,
} from './avro-value.ts';
import { stringifyJson, type JsonInteger } from './json.ts';
import type { TableLayout } from './layout.ts';
import type { ManifestRow } from './manifest-list.ts';
import { metricsRecord, statsFromRecord } from './metrics.ts';

export const entryStatus = { existing: 0, added: 1, deleted: 2 } as const;
export type EntryStatus = (typeof entryStatus)[keyof typeof entryStatus];

/**
 * A file as a manifest lists it. `encoded` is its `data_file` record in our own Avro schema, kept so that
 * rewriting a manifest copies bytes instead of building thousands of records again.
 */
export interface ManifestEntry {
  readonly status: EntryStatus;
  /** Who added the file, or deleted it when the status says so. */
  readonly snapshotId: JsonInteger;
  /** Undefined until the commit that adds the file is known; readers inherit it from the manifest list. */
  readonly sequenceNumber: number | undefined;
  readonly fileSequenceNumber: number | undefined;
  readonly file: DataFile;
  readonly encoded: Uint8Array;
}

export function addedEntry(
  file: DataFile,
  snapshotId: JsonInteger,
  layout: TableLayout,
): ManifestEntry {
  const writer = new AvroWriter();
  writeValue(writer, dataFileSchema, {
    ...absentFields,
    content: 0,
    file_path: layout.uriOf(file.key),
    file_format: 'PARQUET',
    partition: {},
    record_count: file.stats.rows,
    file_size_in_bytes: file.stats.sizeBytes,
    ...metricsRecord(file.stats, layout.leaves),
  });
  return {
    status: entryStatus.added,
    snapshotId,
    sequenceNumber: undefined,
    fileSequenceNumber: undefined,
    file,
    encoded: writer.finish(),
  };
}

const absentFields: AvroRecord = {
  column_sizes: null,
  value_counts: null,
  null_value_counts: null,
  nan_value_counts: null,
  lower_bounds: null,
  upper_bounds: null,
  key_metadata: null,
  split_offsets: null,
  equality_ids: null,
  sort_order_id: null,
  referenced_data_file: null,
};

export async function encodeManifest(
  entries: readonly ManifestEntry[],
  layout: TableLayout,
): Promise<Uint8Array> {
  return encodeAvroFile({
    schemaText: manifestEntrySchemaText,
    metadata: {
      schema: stringifyJson(layout.schema),
      'schema-id': String(layout.schema['schema-id']),
      'partition-spec': '[]',
      'partition-spec-id': '0',
      'format-version': '2',
      content: 'data',
    },
    records: encodedEntries(entries),
  });
}

function* encodedEntries(entries: readonly ManifestEntry[]): Generator<Uint8Array> {
  for (const entry of entries) yield encodeEntry(entry);
}

function encodeEntry(entry: ManifestEntry): Uint8Array {
  const writer = new AvroWriter();
  writer.long(entry.status);
  for (const value of [entry.snapshotId, entry.sequenceNumber, entry.fileSequenceNumber]) {
    if (value === undefined) {
      writer.long(0);
    } else {
      writer.long(1);
      writer.long(value);
    }
  }
  writer.raw(entry.encoded);
  return writer.finish();
}

/** All entries with inherited ids and sequence numbers filled in from the manifest list row. */
export async function decodeManifest(
  bytes: Uint8Array,
  row: ManifestRow,
  layout: TableLayout,
): Promise<ManifestEntry[]> {
  const avro = await decodeAvroFile(bytes);
  if (!isRecordSchema(avro.schema)) throw corruptAvro('manifest entry is not a record');
  const isOwnSchema = avro.schemaText === manifestEntrySchemaText;
  const entries: ManifestEntry[] = [];
  for (const block of avro.blocks) {
    const reader = new AvroReader(block.bytes);
    for (let index = 0; index < block.count; index += 1) {
      const { fields, encoded } = readEntry(reader, avro.schema, isOwnSchema);
      entries.push(toEntry(fields, encoded, { row, layout }));
    }
  }
  return entries;
}

interface RawEntry {
  readonly fields: ReadonlyMap<string, AvroValue>;
  readonly encoded: Uint8Array | undefined;
}

function readEntry(reader: AvroReader, schema: AvroRecordSchema, isOwnSchema: boolean): RawEntry {
  const fields = new Map<string, AvroValue>();
  let encoded: Uint8Array | undefined;
  for (const field of schema.fields) {
    const start = reader.offset;
    fields.set(field.name, readValue(reader, field.type));
    if (isOwnSchema && field.name === 'data_file') encoded = reader.slice(start, reader.offset);
  }
  return { fields, encoded };
}

function toEntry(
  fields: ReadonlyMap<string, AvroValue>,
  encoded: Uint8Array | undefined,
  context: { readonly row: ManifestRow; readonly layout: TableLayout },
): ManifestEntry {
  const { row, layout } = context;
  const record = fields.get('data_file');
  const status = fields.get('status');
  if (!isRecordValue(record)) throw corruptAvro('data_file is missing');
  if (status !== 0 && status !== 1 && status !== 2) throw corruptAvro('entry status is unknown');
  const path = record['file_path'];
  if (typeof path !== 'string') throw corruptAvro('file_path is missing');
  const inherited = status === entryStatus.added ? row.sequenceNumber : undefined;
  const sequenceNumber = integer(fields.get('sequence_number')) ?? inherited;
  const fileSequenceNumber = integer(fields.get('file_sequence_number')) ?? inherited;
  if (sequenceNumber === undefined) throw corruptAvro('entry has no sequence number');
  return {
    status,
    snapshotId: id(fields.get('snapshot_id')) ?? row.addedSnapshotId,
    sequenceNumber,
    fileSequenceNumber: fileSequenceNumber ?? sequenceNumber,
    file: { key: layout.keyOf(path), stats: statsFromRecord(record, layout.leaves) },
    encoded: encoded ?? encodeForeign(record),
  };
}

/** A `data_file` written with another schema, in ours: fields we do not know have no meaning in a v2 data file. */
function encodeForeign(record: AvroRecord): Uint8Array {
  const writer = new AvroWriter();
  writeValue(writer, dataFileSchema, { ...absentFields, content: 0, ...record });
  return writer.finish();
}

/** The entry's `data_file` with another path, for a table whose location changed. */
export function relocateEntry(entry: ManifestEntry, layout: TableLayout): ManifestEntry {
  const record = readValue(new AvroReader(entry.encoded), dataFileSchema);
  if (!isRecordValue(record)) throw corruptAvro('data_file is not a record');
  const writer = new AvroWriter();
  writeValue(writer, dataFileSchema, { ...record, file_path: layout.uriOf(entry.file.key) });
  return { ...entry, encoded: writer.finish() };
}

function integer(value: AvroValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function id(value: AvroValue | undefined): JsonInteger | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}
