import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** DuckDB as a person would use it on the same Parquet files: no planner of ours, no HTTP. */
export interface PlainDuckdb extends AsyncDisposable {
  /** Milliseconds of a query on `raw_events`, its rows read. */
  time(sql: string): Promise<number>;
  copyMs(sql: string, format: 'csv' | 'ndjson', directory: string): Promise<number>;
}

export async function openPlainDuckdb(files: readonly string[]): Promise<PlainDuckdb> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const list = files.map((file) => `'${file.replaceAll("'", "''")}'`).join(', ');
  await connection.run(`CREATE VIEW raw_events AS SELECT * FROM read_parquet([${list}])`);
  const timed = async (sql: string): Promise<number> => {
    const startedMs = performance.now();
    const reader = await connection.runAndReadAll(sql);
    reader.getRowsJson();
    return performance.now() - startedMs;
  };
  return {
    time: timed,
    async copyMs(sql, format, directory) {
      const path = join(directory, 'copy');
      const options = format === 'csv' ? 'FORMAT csv, HEADER' : 'FORMAT json';
      const elapsedMs = await timed(`COPY (${sql}) TO '${path}' (${options})`);
      rmSync(path);
      return elapsedMs;
    },
    async [Symbol.asyncDispose]() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
