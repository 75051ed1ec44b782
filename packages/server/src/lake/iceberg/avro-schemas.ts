/**
 * The two Avro record types of Iceberg format version 2, in Java's names and order. Readers match fields by id
 * (most), by name path (ClickHouse) or by class name (Java), and some check that required fields are plain
 * types, so all of that is part of the format.
 */
import type { AvroField, AvroRecordSchema, AvroSchema } from './avro-value.ts';

const required = (id: number, name: string, type: AvroSchema): AvroField => ({
  name,
  type,
  'field-id': id,
});

const optional = (id: number, name: string, type: AvroSchema): AvroField => ({
  name,
  type: ['null', type],
  default: null,
  'field-id': id,
});

const record = (name: string, fields: readonly AvroField[]): AvroRecordSchema => ({
  type: 'record',
  name,
  fields,
});

const array = (elementId: number, items: AvroSchema): AvroSchema => ({
  type: 'array',
  items,
  'element-id': elementId,
});

/** A map with int keys: Avro maps have string keys only. */
const intMap = (keyId: number, valueId: number, value: 'long' | 'bytes'): AvroSchema => ({
  type: 'array',
  logicalType: 'map',
  items: record(`k${keyId}_v${valueId}`, [
    required(keyId, 'key', 'int'),
    required(valueId, 'value', value),
  ]),
});

export const dataFileSchema = record('r2', [
  required(134, 'content', 'int'),
  required(100, 'file_path', 'string'),
  required(101, 'file_format', 'string'),
  required(102, 'partition', record('r102', [])),
  required(103, 'record_count', 'long'),
  required(104, 'file_size_in_bytes', 'long'),
  optional(108, 'column_sizes', intMap(117, 118, 'long')),
  optional(109, 'value_counts', intMap(119, 120, 'long')),
  optional(110, 'null_value_counts', intMap(121, 122, 'long')),
  optional(137, 'nan_value_counts', intMap(138, 139, 'long')),
  optional(125, 'lower_bounds', intMap(126, 127, 'bytes')),
  optional(128, 'upper_bounds', intMap(129, 130, 'bytes')),
  optional(131, 'key_metadata', 'bytes'),
  optional(132, 'split_offsets', array(133, 'long')),
  optional(135, 'equality_ids', array(136, 'int')),
  optional(140, 'sort_order_id', 'int'),
  optional(143, 'referenced_data_file', 'string'),
]);

export const manifestEntrySchema = record('manifest_entry', [
  required(0, 'status', 'int'),
  optional(1, 'snapshot_id', 'long'),
  optional(3, 'sequence_number', 'long'),
  optional(4, 'file_sequence_number', 'long'),
  required(2, 'data_file', dataFileSchema),
]);

export const manifestFileSchema = record('manifest_file', [
  required(500, 'manifest_path', 'string'),
  required(501, 'manifest_length', 'long'),
  required(502, 'partition_spec_id', 'int'),
  required(517, 'content', 'int'),
  required(515, 'sequence_number', 'long'),
  required(516, 'min_sequence_number', 'long'),
  required(503, 'added_snapshot_id', 'long'),
  required(504, 'added_files_count', 'int'),
  required(505, 'existing_files_count', 'int'),
  required(506, 'deleted_files_count', 'int'),
  required(512, 'added_rows_count', 'long'),
  required(513, 'existing_rows_count', 'long'),
  required(514, 'deleted_rows_count', 'long'),
  optional(
    507,
    'partitions',
    array(
      508,
      record('r508', [
        required(509, 'contains_null', 'boolean'),
        optional(518, 'contains_nan', 'boolean'),
        optional(510, 'lower_bound', 'bytes'),
        optional(511, 'upper_bound', 'bytes'),
      ]),
    ),
  ),
  optional(519, 'key_metadata', 'bytes'),
]);

export const manifestEntrySchemaText = JSON.stringify(manifestEntrySchema);
export const manifestFileSchemaText = JSON.stringify(manifestFileSchema);
