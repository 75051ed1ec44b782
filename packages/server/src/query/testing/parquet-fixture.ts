import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { nodeFileSystem } from '../../base/node-file-system.ts';
import { rawEventsSchema } from '../../columns/index.ts';
import { FileCatalog, type DataFileStats } from '../../lake/index.ts';
import { readFooterStats } from '../../parquet/index.ts';
import type { PinnedFiles, TableSource } from '../table.ts';

/** A Parquet file and its statistics. */
export interface TestFile {
  readonly path: string;
  readonly stats: DataFileStats;
}

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

  async write(options: WriteOptions): Promise<TestFile> {
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
    return testFile(path);
  }

  source(files: readonly TestFile[]): TableSource & { readonly pins: { open: number } } {
    const pins = { open: 0 };
    const catalog = new FileCatalog(rawEventsSchema);
    for (const file of files) catalog.add(file);
    return {
      pins,
      pin(): Promise<PinnedFiles> {
        pins.open += 1;
        return Promise.resolve({
          files: catalog.view(),
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
}

/** Statistics as the node takes them, from the footer. */
export const testFile = async (path: string): Promise<TestFile> => ({
  path,
  stats: await readFooterStats(nodeFileSystem, path),
});
