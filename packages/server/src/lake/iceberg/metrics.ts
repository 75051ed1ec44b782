import type { ColumnStats, DataFileStats } from '../data-file.ts';
import type { AvroRecord, AvroValue } from './avro-value.ts';
import { isArrayValue, isRecordValue } from './avro-value.ts';
import type { JsonInteger } from './json.ts';
import type { LeafColumn } from './schema.ts';

/** Iceberg's default metrics mode `truncate(16)` counts code points, not bytes. */
const BOUND_CODE_POINTS = 16;
const LAST_CODE_POINT = 0x10ffff;
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;
// A decoder puts it where bytes were not UTF-8; a bound made of it could be wrong, and no bound is always right.
const REPLACEMENT_CHARACTER = '\ufffd';

/** The metrics fields of a manifest entry's `data_file`, by field id ascending. */
export function metricsRecord(stats: DataFileStats, leaves: readonly LeafColumn[]): AvroRecord {
  const byId = new Map(stats.columns.map((column) => [column.fieldId, column]));
  const present = leaves
    .toSorted((left, right) => left.fieldId - right.fieldId)
    .flatMap((leaf) => {
      const column = byId.get(leaf.fieldId);
      return column === undefined ? [] : [{ leaf, column }];
    });
  const bounds = present.flatMap(({ leaf, column }) =>
    leaf.isRepeated ? [] : [{ id: leaf.fieldId, ...encodeBounds(column) }],
  );
  const offsets = stats.rowGroups.map((group) => group.offset);
  return {
    column_sizes: entries(present, ({ leaf, column }) => [leaf.fieldId, column.compressedBytes]),
    value_counts: entries(present, ({ leaf, column }) => [leaf.fieldId, column.values]),
    null_value_counts: entries(present, ({ leaf, column }) => [leaf.fieldId, column.nulls]),
    nan_value_counts: null,
    lower_bounds: entries(bounds, ({ id, lower }) => [id, lower]),
    upper_bounds: entries(bounds, ({ id, upper }) => [id, upper]),
    split_offsets: offsets.length === 0 ? null : offsets.toSorted((a, b) => a - b),
  };
}

function entries<T>(
  items: readonly T[],
  pair: (item: T) => readonly [number, AvroValue | undefined],
): AvroValue {
  return items.flatMap((item) => {
    const [key, value] = pair(item);
    return value === undefined ? [] : [{ key, value }];
  });
}

/** Statistics of every leaf as far as a `data_file` record tells them; row groups are not part of a manifest. */
export function statsFromRecord(file: AvroRecord, leaves: readonly LeafColumn[]): DataFileStats {
  const sizes = intMap(file['column_sizes']);
  const values = intMap(file['value_counts']);
  const nulls = intMap(file['null_value_counts']);
  const lower = intMap(file['lower_bounds']);
  const upper = intMap(file['upper_bounds']);
  const columns = leaves.flatMap((leaf): ColumnStats[] => {
    const id = leaf.fieldId;
    const size = sizes.get(id);
    if (size === undefined && !values.has(id)) return [];
    const nullCount = nulls.get(id);
    const min = decodeBound(lower.get(id), leaf.type);
    const max = decodeBound(upper.get(id), leaf.type);
    return [
      {
        path: leaf.path,
        fieldId: id,
        compressedBytes: toNumber(size),
        values: toNumber(values.get(id)),
        ...(nullCount === undefined ? {} : { nulls: toNumber(nullCount) }),
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
      },
    ];
  });
  return {
    rows: toNumber(file['record_count']),
    sizeBytes: toNumber(file['file_size_in_bytes']),
    columns,
    rowGroups: [],
  };
}

function intMap(value: AvroValue | undefined): Map<JsonInteger, AvroValue> {
  const map = new Map<JsonInteger, AvroValue>();
  if (!isArrayValue(value)) return map;
  for (const item of value) {
    if (!isRecordValue(item)) continue;
    const { key, value: member } = item;
    if (typeof key === 'number' && member !== undefined) map.set(key, member);
  }
  return map;
}

function toNumber(value: AvroValue | undefined): number {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;
}

interface EncodedBounds {
  readonly lower?: Uint8Array;
  readonly upper?: Uint8Array;
}

function encodeBounds(column: ColumnStats): EncodedBounds {
  const { min, max } = column;
  const lower = min === undefined ? undefined : encodeBound(min, lowerBound);
  const upper = max === undefined ? undefined : encodeBound(max, upperBound);
  if (typeof min === 'bigint' && typeof max === 'bigint' && min > max) return {};
  if (typeof min === 'string' && lower !== undefined && upper !== undefined) {
    if (Buffer.compare(lower, upper) > 0) return {};
  }
  return { ...(lower === undefined ? {} : { lower }), ...(upper === undefined ? {} : { upper }) };
}

/** Iceberg "single-value serialization": 8 bytes little-endian for a long, UTF-8 for a string. */
function encodeBound(
  value: bigint | string,
  truncate: (value: string) => string | undefined,
): Uint8Array | undefined {
  if (typeof value === 'bigint') {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    return bytes;
  }
  const bound = truncate(value);
  return bound === undefined ? undefined : Buffer.from(bound, 'utf8');
}

function decodeBound(
  bytes: AvroValue | undefined,
  type: LeafColumn['type'],
): bigint | string | undefined {
  if (!(bytes instanceof Uint8Array)) return undefined;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (type === 'int64') return buffer.byteLength === 8 ? buffer.readBigInt64LE() : undefined;
  const text = buffer.toString('utf8');
  return text.includes(REPLACEMENT_CHARACTER) ? undefined : text;
}

/** At most 16 code points that are ≤ the value in UTF-8 byte order, or undefined when that cannot be told. */
export function lowerBound(value: string): string | undefined {
  const points = leadingCodePoints(value);
  return points === undefined ? undefined : points.slice(0, BOUND_CODE_POINTS).join('');
}

/** At most 16 code points that are ≥ the value in UTF-8 byte order, or undefined when there are none. */
export function upperBound(value: string): string | undefined {
  const points = leadingCodePoints(value);
  if (points === undefined) return undefined;
  if (points.length <= BOUND_CODE_POINTS) return points.join('');
  for (let last = BOUND_CODE_POINTS - 1; last >= 0; last -= 1) {
    const codePoint = points[last]?.codePointAt(0) ?? LAST_CODE_POINT;
    if (codePoint === LAST_CODE_POINT) continue;
    const next = codePoint === BEFORE_SURROGATES ? AFTER_SURROGATES : codePoint + 1;
    return points.slice(0, last).join('') + String.fromCodePoint(next);
  }
  return undefined;
}

/** One code point more than a bound holds, so the caller sees whether the value is longer. */
function leadingCodePoints(value: string): string[] | undefined {
  const points: string[] = [];
  for (const point of value) {
    if (point === REPLACEMENT_CHARACTER || !point.isWellFormed()) return undefined;
    points.push(point);
    if (points.length > BOUND_CODE_POINTS) break;
  }
  return points;
}
