import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeError } from '../../base/errors.ts';
import { AvroReader, AvroWriter } from './avro-binary.ts';
import { decodeAvroFile, encodeAvroFile } from './avro-container.ts';
import {
  dataFileSchema,
  manifestEntrySchema,
  manifestFileSchema,
  manifestFileSchemaText,
} from './avro-schemas.ts';
import { readValue, writeValue, type AvroRecord, type AvroSchema } from './avro-value.ts';
import { canonicalInteger } from './json.ts';

const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(canonicalInteger);
const int = fc.integer();
const bytes = fc.uint8Array({ maxLength: 40 });
const text = fc.string({ unit: 'binary' });
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value);
const map = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<{ key: number; value: T }[] | null> =>
  optional(fc.array(fc.record({ key: int, value }), { maxLength: 5 }));

const dataFile: fc.Arbitrary<AvroRecord> = fc.record({
  content: int,
  file_path: text,
  file_format: text,
  partition: fc.constant({}),
  record_count: long,
  file_size_in_bytes: long,
  column_sizes: map(long),
  value_counts: map(long),
  null_value_counts: map(long),
  nan_value_counts: map(long),
  lower_bounds: map(bytes),
  upper_bounds: map(bytes),
  key_metadata: optional(bytes),
  split_offsets: optional(fc.array(long, { maxLength: 5 })),
  equality_ids: optional(fc.array(int, { maxLength: 5 })),
  sort_order_id: optional(int),
  referenced_data_file: optional(text),
});

const entry: fc.Arbitrary<AvroRecord> = fc.record({
  status: int,
  snapshot_id: optional(long),
  sequence_number: optional(long),
  file_sequence_number: optional(long),
  data_file: dataFile,
});

function encode(schema: AvroSchema, value: AvroRecord): Uint8Array {
  const writer = new AvroWriter();
  writeValue(writer, schema, value);
  return writer.finish();
}

describe('Avro', () => {
  it('reads back any manifest entry, through a file', async () => {
    const schemaText = JSON.stringify(manifestEntrySchema);
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 4 }), async (entries) => {
        const records = entries.map((value) => encode(manifestEntrySchema, value));
        const body = await encodeAvroFile({ schemaText, metadata: { a: 'ü' }, records });
        const file = await decodeAvroFile(body);
        expect(file.metadata.get('a')).toBe('ü');
        expect(file.metadata.get('avro.codec')).toBe('deflate');
        const read = file.blocks.flatMap((block) => {
          const reader = new AvroReader(block.bytes);
          return Array.from({ length: block.count }, () => readValue(reader, file.schema));
        });
        expect(read).toEqual(entries);
      }),
      { numRuns: 60 },
    );
  });

  it('encodes integers as the specification shows', () => {
    const cases: [number | bigint, number[]][] = [
      [0, [0]],
      [-1, [1]],
      [1, [2]],
      [-64, [0x7f]],
      [64, [0x80, 0x01]],
      [-(2n ** 63n), [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]],
    ];
    for (const [value, expected] of cases) {
      const writer = new AvroWriter();
      writer.long(value);
      expect([...writer.finish()]).toEqual(expected);
    }
  });

  it('gives every field an id and every optional field null first', () => {
    const visit = (schema: AvroSchema): void => {
      if (typeof schema === 'string') return;
      if (Array.isArray(schema)) {
        expect(schema).toHaveLength(2);
        expect(schema[0]).toBe('null');
        schema.forEach(visit);
      } else if ('fields' in schema) {
        for (const field of schema.fields) {
          expect(field['field-id']).toBeTypeOf('number');
          expect(Array.isArray(field.type)).toBe(field.default === null);
          visit(field.type);
        }
      } else if ('items' in schema) {
        expect(schema['element-id'] !== undefined || schema.logicalType === 'map').toBe(true);
        visit(schema.items);
      }
    };
    visit(manifestEntrySchema);
    visit(manifestFileSchema);
    expect([manifestEntrySchema.name, manifestFileSchema.name, dataFileSchema.name]).toEqual([
      'manifest_entry',
      'manifest_file',
      'r2',
    ]);
  });

  it('splits many records into blocks', async () => {
    const record = encode(
      { type: 'record', name: 'x', fields: [{ name: 'b', type: 'bytes' }] },
      { b: new Uint8Array(1000) },
    );
    const records = Array.from({ length: 1000 }, () => record);
    const file = await decodeAvroFile(
      await encodeAvroFile({ schemaText: '"bytes"', metadata: {}, records }),
    );
    expect(file.blocks.length).toBeGreaterThan(2);
    expect(file.blocks.reduce((sum, block) => sum + block.count, 0)).toBe(1000);
  });

  it('answers damaged bytes with a storage error and nothing else', async () => {
    const record = encode(manifestFileSchema, fcRow);
    const options = { schemaText: manifestFileSchemaText, metadata: {}, records: [record, record] };
    const good = await encodeAvroFile(options);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(good.length - 1),
        fc.nat(255),
        fc.boolean(),
        async (offset, byte, isCut) => {
          const bad = isCut ? good.slice(0, offset) : good.slice();
          if (!isCut) bad[offset] = byte;
          try {
            const file = await decodeAvroFile(bad);
            for (const block of file.blocks) {
              const reader = new AvroReader(block.bytes);
              for (let index = 0; index < block.count; index += 1) readValue(reader, file.schema);
            }
          } catch (error) {
            expect(error).toBeInstanceOf(NodeError);
          }
        },
      ),
      { numRuns: 500, examples: [[550, 114, false]] },
    );
  });
});

const fcRow: AvroRecord = {
  manifest_path: 'file:///x',
  manifest_length: 10,
  partition_spec_id: 0,
  content: 0,
  sequence_number: 1,
  min_sequence_number: 1,
  added_snapshot_id: 2n ** 60n,
  added_files_count: 1,
  existing_files_count: 0,
  deleted_files_count: 0,
  added_rows_count: 1,
  existing_rows_count: 0,
  deleted_rows_count: 0,
  partitions: [],
  key_metadata: null,
};
