import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { rawEventsSchema } from '../../columns/index.ts';
import type { ColumnStats, DataFileStats, RowGroupStats } from '../../lake/index.ts';
import type { PinnedFile, PinnedFiles, TableSource } from '../table.ts';

/** Events as SQL expressions over `i`, the row number; columns left out are null. */
export type EventExpressions = Readonly<Partial<Record<string, string>>>;

export interface WriteOptions {
  readonly rows: number;
  readonly columns: EventExpressions;
  readonly rowGroupRows?: number;
  /** Leaves these columns out of the file altogether. */
  readonly missing?: readonly string[];
  /** Further physical columns without a field id. */
  readonly extra?: EventExpressions;
}

/** Writes real Parquet files with field ids, and reads their statistics back from the footers. */
export class ParquetFixture {
  readonly directory: string;
  readonly connection: DuckDBConnection;
  #count = 0;

  private constructor(directory: string, connection: DuckDBConnection) {
    this.directory = directory;
    this.connection = connection;
  }

  static async open(): Promise<ParquetFixture> {
    const directory = await mkdtemp(join(tmpdir(), 'varve-query-'));
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    return new ParquetFixture(directory, await instance.connect());
  }

  async write(options: WriteOptions): Promise<PinnedFile> {
    this.#count += 1;
    const path = join(this.directory, `file-${String(this.#count)}.parquet`);
    const columns = rawEventsSchema.columns.filter(
      ({ name }) => options.missing?.includes(name) !== true,
    );
    const list = columns.map(({ name, type }) => {
      const sqlType =
        type === 'int64' ? 'BIGINT' : type === 'utf8' ? 'VARCHAR' : 'MAP(VARCHAR, VARCHAR)';
      return `(${options.columns[name] ?? 'NULL'})::${sqlType} AS ${name}`;
    });
    for (const [name, sql] of Object.entries(options.extra ?? {}))
      list.push(`${sql ?? 'NULL'} AS ${name}`);
    const ids = columns.map((column) =>
      column.type === 'map<utf8,utf8>'
        ? `${column.name}: {__duckdb_field_id: ${String(column.fieldId)}, key: 11, value: 12}`
        : `${column.name}: ${String(column.fieldId)}`,
    );
    await this.connection.run(
      `COPY (SELECT ${list.join(', ')} FROM range(${String(options.rows)}) t(i)) TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${String(options.rowGroupRows ?? 122880)}, FIELD_IDS {${ids.join(', ')}})`,
    );
    return { path, stats: await this.#stats(path, options.rows) };
  }

  source(files: readonly PinnedFile[]): TableSource & { readonly pins: { open: number } } {
    const pins = { open: 0 };
    return {
      pins,
      pin(): Promise<PinnedFiles> {
        pins.open += 1;
        return Promise.resolve({
          files,
          release: () => {
            pins.open -= 1;
          },
        });
      },
    };
  }

  async close(): Promise<void> {
    this.connection.closeSync();
    await rm(this.directory, { recursive: true, force: true });
  }

  async #stats(path: string, rows: number): Promise<DataFileStats> {
    const result = await this.connection.runAndReadAll(
      `SELECT row_group_id::INTEGER AS g, row_group_num_rows::INTEGER AS group_rows, replace(path_in_schema, ', ', '.') AS path, num_values::INTEGER AS values, stats_null_count::INTEGER AS nulls, stats_min_value AS lo, stats_max_value AS hi, total_compressed_size::INTEGER AS bytes, type FROM parquet_metadata('${path}') ORDER BY row_group_id, column_id`,
    );
    const chunks = result.getRowObjectsJS().map(toChunk);
    const paths = [...new Set(chunks.map((chunk) => chunk.path))];
    const groups = [...new Set(chunks.map((chunk) => chunk.group))];
    return {
      rows,
      sizeBytes: (await stat(path)).size,
      columns: paths.map((name) =>
        merge(
          name,
          chunks.filter((chunk) => chunk.path === name),
        ),
      ),
      rowGroups: groups.map((group): RowGroupStats => {
        const own = chunks.filter((chunk) => chunk.group === group);
        return { rows: own[0]?.rows ?? 0, offset: 4, columns: own.map(({ stats }) => stats) };
      }),
    };
  }
}

type ChunkStats = RowGroupStats['columns'][number];

interface Chunk {
  readonly group: number;
  readonly rows: number;
  readonly path: string;
  readonly stats: ChunkStats;
}

function toChunk(row: Readonly<Record<string, unknown>>): Chunk {
  const parse = (value: unknown): bigint | string | undefined => {
    if (typeof value !== 'string') return undefined;
    return row['type'] === 'INT64' ? BigInt(value) : value;
  };
  const min = parse(row['lo']);
  const max = parse(row['hi']);
  const path = String(row['path']).replace('attributes.key_value.', 'attributes.');
  return {
    group: Number(row['g']),
    rows: Number(row['group_rows']),
    path,
    stats: {
      compressedBytes: Number(row['bytes']),
      values: Number(row['values']),
      ...(typeof row['nulls'] === 'number' ? { nulls: row['nulls'] } : {}),
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    },
  };
}

function merge(path: string, chunks: readonly Chunk[]): ColumnStats {
  const stats = chunks.map((chunk) => chunk.stats);
  const sum = (pick: (chunk: ChunkStats) => number): number =>
    stats.reduce((total, chunk) => total + pick(chunk), 0);
  const bound = (
    values: readonly (bigint | string | undefined)[],
    sign: number,
  ): bigint | string | undefined => {
    const known = values.filter((value) => value !== undefined);
    if (known.length < values.length) return undefined;
    return known.toSorted((a, b) => sign * order(a, b))[0];
  };
  // A row group of nulls alone has no minimum; then the file's is unknown too.
  const min = bound(
    stats.map((chunk) => chunk.min),
    1,
  );
  const max = bound(
    stats.map((chunk) => chunk.max),
    -1,
  );
  return {
    path,
    compressedBytes: sum((chunk) => chunk.compressedBytes),
    values: sum((chunk) => chunk.values),
    ...(stats.every((chunk) => chunk.nulls !== undefined)
      ? { nulls: sum((chunk) => chunk.nulls ?? 0) }
      : {}),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  };
}

function order(a: bigint | string, b: bigint | string): number {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}
