import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawEventsSchema } from '../../columns/index.ts';
import type { DataFileStats } from '../data-file.ts';
import { lowerBound, metricsRecord, statsFromRecord, upperBound } from './metrics.ts';
import { leafColumns } from './schema.ts';

const leaves = leafColumns(rawEventsSchema);
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

// Weighted towards the places where truncation goes wrong.
const point = fc.oneof(
  fc.constantFrom('a', 'z', '\u007f', '\u0080', '\u07ff', '\ud7ff', '\ue000', '\uffff', '🚀'),
  fc.constant('\u{10ffff}'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);
const value = fc.array(point, { maxLength: 24 }).map((points) => points.join(''));

describe('bounds', () => {
  it('enclose the value in UTF-8 byte order and stay within 16 code points', () => {
    fc.assert(
      fc.property(value, (text) => {
        const lower = lowerBound(text);
        const upper = upperBound(text);
        if (lower !== undefined) {
          expect(compare(lower, text)).toBeLessThanOrEqual(0);
          expect(Array.from(lower).length).toBeLessThanOrEqual(16);
        }
        if (upper !== undefined) {
          expect(upper.isWellFormed()).toBe(true);
          expect(compare(upper, text)).toBeGreaterThanOrEqual(0);
          expect(Array.from(upper).length).toBeLessThanOrEqual(16);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('step over the surrogates and carry over the last code point', () => {
    const tail = 'x'.repeat(4);
    expect(upperBound(`${'a'.repeat(15)}\ud7ff${tail}`)).toBe(`${'a'.repeat(15)}\ue000`);
    expect(upperBound(`${'a'.repeat(15)}\u{10ffff}${tail}`)).toBe(`${'a'.repeat(14)}b`);
    expect(upperBound('\u{10ffff}'.repeat(17))).toBeUndefined();
    expect(upperBound('\u{10ffff}'.repeat(16))).toBe('\u{10ffff}'.repeat(16));
    expect(upperBound('')).toBe('');
  });

  it('are left out where a decoder may have replaced bytes', () => {
    expect(lowerBound('a\ufffd')).toBeUndefined();
    expect(upperBound('a\ufffd')).toBeUndefined();
    expect(upperBound('\ud800')).toBeUndefined();
  });
});

function fileStats(columns: DataFileStats['columns']): DataFileStats {
  return { rows: 3, sizeBytes: 99, columns, rowGroups: [] };
}

describe('manifest metrics', () => {
  it('come back from a record as they went in, except for truncation', () => {
    const columns = leaves.map((leaf) => ({
      path: leaf.path,
      fieldId: leaf.fieldId,
      compressedBytes: leaf.fieldId * 10,
      values: 3,
      nulls: 1,
      ...(leaf.isRepeated
        ? {}
        : leaf.type === 'int64'
          ? { min: -5n, max: 9n }
          : { min: 'ä', max: 'ö' }),
    }));
    const record = { ...metricsRecord(fileStats(columns), leaves), record_count: 3 };
    const read = statsFromRecord({ ...record, file_size_in_bytes: 99 }, leaves);
    expect(read).toEqual(fileStats(columns));
  });

  it('leave out bounds that are upside down, and those of map leaves', () => {
    const stat = { compressedBytes: 1, values: 3, nulls: 0 };
    const record = metricsRecord(
      fileStats([
        { path: 'timestamp_ns', fieldId: 1, ...stat, min: 2n, max: 1n },
        { path: 'service', fieldId: 3, ...stat, min: 'b', max: 'a' },
        { path: 'attributes.key', fieldId: 11, ...stat, min: 'a', max: 'b' },
      ]),
      leaves,
    );
    expect(record['lower_bounds']).toEqual([]);
    expect(record['upper_bounds']).toEqual([]);
    expect(record['value_counts']).toHaveLength(3);
  });

  it('keep one bound when the other is unknown', () => {
    const column = { path: 'body', fieldId: 4, compressedBytes: 1, values: 1, min: 'a' };
    const record = metricsRecord(fileStats([column]), leaves);
    expect(record['lower_bounds']).toEqual([{ key: 4, value: Buffer.from('a') }]);
    expect(record['upper_bounds']).toEqual([]);
    expect(record['null_value_counts']).toEqual([]);
  });

  it('list row group offsets in ascending order', () => {
    const rowGroups = [400, 4, 90].map((offset) => ({ rows: 1, offset, columns: [] }));
    const record = metricsRecord({ ...fileStats([]), rowGroups }, leaves);
    expect(record['split_offsets']).toEqual([4, 90, 400]);
  });
});
