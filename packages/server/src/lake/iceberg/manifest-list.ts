import { AvroReader, AvroWriter, corruptAvro } from './avro-binary.ts';
import { decodeAvroFile, encodeAvroFile } from './avro-container.ts';
import { manifestFileSchema, manifestFileSchemaText } from './avro-schemas.ts';
import { isRecordValue, readValue, writeValue, type AvroRecord } from './avro-value.ts';
import type { JsonInteger } from './json.ts';

/** One row of a manifest list: a manifest and what it holds. Immutable once committed. */
export interface ManifestRow {
  /** Absolute URI. */
  readonly path: string;
  readonly length: number;
  /** Of the commit that added the manifest. */
  readonly sequenceNumber: number;
  /** Lowest data sequence number of the live entries. */
  readonly minSequenceNumber: number;
  readonly addedSnapshotId: JsonInteger;
  readonly addedFiles: number;
  readonly existingFiles: number;
  readonly deletedFiles: number;
  readonly addedRows: number;
  readonly existingRows: number;
  readonly deletedRows: number;
  readonly keyMetadata: Uint8Array | null;
}

export function liveFiles(row: ManifestRow): number {
  return row.addedFiles + row.existingFiles;
}

export function liveRows(row: ManifestRow): number {
  return row.addedRows + row.existingRows;
}

export interface ManifestListHeader {
  readonly snapshotId: JsonInteger;
  readonly parentSnapshotId: JsonInteger | undefined;
  readonly sequenceNumber: number;
}

export async function encodeManifestList(
  header: ManifestListHeader,
  rows: readonly ManifestRow[],
): Promise<Uint8Array> {
  return encodeAvroFile({
    schemaText: manifestFileSchemaText,
    metadata: {
      'snapshot-id': String(header.snapshotId),
      'parent-snapshot-id': String(header.parentSnapshotId ?? 'null'),
      'sequence-number': String(header.sequenceNumber),
      'format-version': '2',
    },
    records: rows.map((row) => {
      const writer = new AvroWriter();
      writeValue(writer, manifestFileSchema, toRecord(row));
      return writer.finish();
    }),
  });
}

/** Throws `storage_corrupt_table` for manifests this node must not rewrite: delete files, other partition specs. */
export async function decodeManifestList(bytes: Uint8Array): Promise<ManifestRow[]> {
  const file = await decodeAvroFile(bytes);
  const rows: ManifestRow[] = [];
  for (const block of file.blocks) {
    const reader = new AvroReader(block.bytes);
    for (let index = 0; index < block.count; index += 1) {
      const value = readValue(reader, file.schema);
      if (!isRecordValue(value)) throw corruptAvro('manifest list row is not a record');
      rows.push(fromRecord(value));
    }
  }
  return rows;
}

function toRecord(row: ManifestRow): AvroRecord {
  return {
    manifest_path: row.path,
    manifest_length: row.length,
    partition_spec_id: 0,
    content: 0,
    sequence_number: row.sequenceNumber,
    min_sequence_number: row.minSequenceNumber,
    added_snapshot_id: row.addedSnapshotId,
    added_files_count: row.addedFiles,
    existing_files_count: row.existingFiles,
    deleted_files_count: row.deletedFiles,
    added_rows_count: row.addedRows,
    existing_rows_count: row.existingRows,
    deleted_rows_count: row.deletedRows,
    // Not null: some readers insist on the array even for an unpartitioned table.
    partitions: [],
    key_metadata: row.keyMetadata,
  };
}

function fromRecord(record: AvroRecord): ManifestRow {
  const { manifest_path: path, added_snapshot_id: snapshotId, key_metadata: key } = record;
  if (typeof path !== 'string') throw corruptAvro('manifest_path is missing');
  if (typeof snapshotId !== 'number' && typeof snapshotId !== 'bigint') {
    throw corruptAvro('added_snapshot_id is missing');
  }
  if (record['content'] !== 0) throw corruptAvro('delete manifests are not supported');
  if (record['partition_spec_id'] !== 0) throw corruptAvro('partition specs are not supported');
  return {
    path,
    length: count(record, 'manifest_length'),
    sequenceNumber: count(record, 'sequence_number'),
    minSequenceNumber: count(record, 'min_sequence_number'),
    addedSnapshotId: snapshotId,
    addedFiles: count(record, 'added_files_count'),
    existingFiles: count(record, 'existing_files_count'),
    deletedFiles: count(record, 'deleted_files_count'),
    addedRows: count(record, 'added_rows_count'),
    existingRows: count(record, 'existing_rows_count'),
    deletedRows: count(record, 'deleted_rows_count'),
    keyMetadata: key instanceof Uint8Array ? key : null,
  };
}

function count(record: AvroRecord, name: string): number {
  const value = record[name];
  if (typeof value !== 'number' || value < 0) throw corruptAvro(`${name} is missing`);
  return value;
}
