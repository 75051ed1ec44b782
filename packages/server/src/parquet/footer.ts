import { parquetMetadata, type FileMetaData, type RowGroup, type SchemaElement } from 'hyparquet';
import { assert } from '../base/assert.ts';
import { NodeError } from '../base/errors.ts';
import type { FileSystem, OpenFile } from '../base/file-system.ts';
import type { ColumnStats, DataFileStats, RowGroupStats } from './stats.ts';

type ChunkStats = Omit<ColumnStats, 'path' | 'fieldId'>;

/** Length and magic that end every Parquet file. */
const trailerBytes = 8;
const magic = 'PAR1';

/**
 * Reads the footer of a local Parquet file; two small reads whatever the size of the file. Throws
 * `storage_corrupt_table` or `storage_short_read`, with the path for the log, where it is not a whole one.
 */
export async function readFooterStats(
  fileSystem: FileSystem,
  path: string,
): Promise<DataFileStats> {
  const file = await fileSystem.open(path, 'read');
  try {
    const sizeBytes = await file.size();
    const trailer = await readExactly(file, {
      path,
      from: sizeBytes - trailerBytes,
      to: sizeBytes,
    });
    const footerBytes = trailer.readUInt32LE(0) + trailerBytes;
    if (trailer.toString('latin1', 4) !== magic || footerBytes > sizeBytes) {
      throw new NodeError('storage_corrupt_table', 'a Parquet file has no valid footer', {
        internal: { path },
      });
    }
    const tail = await readExactly(file, { path, from: sizeBytes - footerBytes, to: sizeBytes });
    return footerStats(tail, sizeBytes);
  } finally {
    await file.close();
  }
}

/** Stats from the last bytes of a file, which must hold at least the whole footer. */
export function footerStats(tail: Uint8Array, sizeBytes: number): DataFileStats {
  const copy = new Uint8Array(footerOf(tail)).buffer;
  const metadata = parquetMetadata(copy);
  const fieldIds = leafFieldIds(metadata.schema);
  const rowGroups = metadata.row_groups.map((group) => rowGroupStats(group));
  return {
    rows: Number(metadata.num_rows),
    sizeBytes,
    columns: wholeFileColumns(metadata, rowGroups, fieldIds),
    rowGroups,
  };
}

/** What is needed of a tail; one that is damaged is left as it is for the parser to refuse. */
function footerOf(tail: Uint8Array): Uint8Array {
  if (tail.byteLength < trailerBytes) return tail;
  const trailerAt = tail.byteLength - trailerBytes;
  const footerBytes = new DataView(tail.buffer, tail.byteOffset + trailerAt).getUint32(0, true);
  return footerBytes > trailerAt ? tail : tail.subarray(trailerAt - footerBytes);
}

async function readExactly(
  file: OpenFile,
  range: { readonly path: string; readonly from: number; readonly to: number },
): Promise<Buffer> {
  const { path, from, to } = range;
  const internal = { path };
  if (from < 0) {
    throw new NodeError('storage_short_read', 'a file is too short to be Parquet', { internal });
  }
  const buffer = Buffer.alloc(to - from);
  if ((await file.read(buffer, from)) !== buffer.byteLength) {
    throw new NodeError('storage_short_read', 'a Parquet file ended early', { internal });
  }
  return buffer;
}

/** Map leaves are named by what they are, whatever the writer called the groups between. */
function leafPath(path: readonly string[]): string {
  return path.length < 2 ? path.join('.') : `${path[0]}.${path.at(-1)}`;
}

function leafFieldIds(schema: readonly SchemaElement[]): (number | undefined)[] {
  return schema
    .filter((element) => element.num_children === undefined || element.num_children === 0)
    .map((element) => element.field_id);
}

function rowGroupStats(group: RowGroup): RowGroupStats {
  const first = group.columns[0]?.meta_data;
  assert(first !== undefined, 'a row group has column chunks with metadata');
  return {
    rows: Number(group.num_rows),
    offset: Number(first.dictionary_page_offset ?? first.data_page_offset),
    columns: group.columns.map(({ meta_data: chunk }): ChunkStats => {
      assert(chunk !== undefined, 'a column chunk has metadata');
      const { statistics } = chunk;
      return {
        compressedBytes: Number(chunk.total_compressed_size),
        values: Number(chunk.num_values),
        ...(statistics?.null_count !== undefined && { nulls: Number(statistics.null_count) }),
        ...bound('min', statistics?.min_value),
        ...bound('max', statistics?.max_value),
      };
    }),
  };
}

function bound(
  name: 'min' | 'max',
  value: unknown,
): { min?: bigint | string; max?: bigint | string } {
  if (typeof value !== 'bigint' && typeof value !== 'string') return {};
  return name === 'min' ? { min: value } : { max: value };
}

function wholeFileColumns(
  metadata: FileMetaData,
  rowGroups: readonly RowGroupStats[],
  fieldIds: readonly (number | undefined)[],
): ColumnStats[] {
  const leaves = metadata.row_groups[0]?.columns ?? [];
  return leaves.map((leaf, index) => {
    const chunks = rowGroups.map((group) => group.columns[index]);
    const fieldId = fieldIds[index];
    return {
      path: leafPath(leaf.meta_data?.path_in_schema ?? []),
      ...(fieldId !== undefined && { fieldId }),
      ...mergeChunks(chunks.filter((chunk) => chunk !== undefined)),
    };
  });
}

/** Sums and bounds over chunks. A bound that one chunk with values lacks is unknown for all. */
function mergeChunks(chunks: readonly ChunkStats[]): ChunkStats {
  const withValues = chunks.filter(
    (chunk) => chunk.nulls === undefined || chunk.nulls < chunk.values,
  );
  const nulls = chunks.map((chunk) => chunk.nulls);
  return {
    compressedBytes: sum(chunks.map((chunk) => chunk.compressedBytes)),
    values: sum(chunks.map((chunk) => chunk.values)),
    ...(nulls.every((count) => count !== undefined) && { nulls: sum(nulls) }),
    ...bound(
      'min',
      extreme(
        withValues.map((chunk) => chunk.min),
        -1,
      ),
    ),
    ...bound(
      'max',
      extreme(
        withValues.map((chunk) => chunk.max),
        1,
      ),
    ),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function extreme(
  values: readonly (bigint | string | undefined)[],
  sign: 1 | -1,
): bigint | string | undefined {
  let best = values[0];
  for (const value of values) {
    if (value === undefined || best === undefined) return undefined;
    if (compareValues(value, best) * sign > 0) best = value;
  }
  return best;
}

/** Parquet order: integers by value, strings by their UTF-8 bytes. */
export function compareValues(left: bigint | string, right: bigint | string): number {
  if (typeof left === 'bigint' || typeof right === 'bigint') {
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
