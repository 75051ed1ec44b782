import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { TableSchema } from '../../columns/index.ts';
import type { EngineOpenOptions } from './protocol.ts';
import { emptyTableSql, quoteText } from './sql-text.ts';

export interface LockedInstance {
  readonly instance: DuckDBInstance;
  readonly emptyTablePath: (schema: TableSchema) => string;
}

/**
 * An engine that can read the given folders and nothing else: no other file, network, extension or setting is
 * within reach of any statement that runs afterwards.
 */
export async function openLocked(options: EngineOpenOptions): Promise<LockedInstance> {
  const emptyDirectory = join(options.workDirectory, 'empty');
  const spillDirectory = join(options.workDirectory, 'spill');
  await mkdir(emptyDirectory, { recursive: true });
  await mkdir(spillDirectory, { recursive: true });
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(options.threads),
    memory_limit: `${String(options.memoryLimitBytes)}B`,
    temp_directory: spillDirectory,
    autoload_known_extensions: 'false',
    autoinstall_known_extensions: 'false',
    allow_community_extensions: 'false',
    enable_external_file_cache: 'false',
  });
  const connection = await instance.connect();
  const emptyTablePath = (schema: TableSchema): string =>
    join(emptyDirectory, `${schema.name}.parquet`);
  try {
    for (const schema of options.schemas)
      await connection.run(emptyTableSql(schema, emptyTablePath(schema)));
    await lock(connection, options, emptyDirectory);
  } finally {
    connection.closeSync();
  }
  return { instance, emptyTablePath };
}

async function lock(
  connection: DuckDBConnection,
  options: EngineOpenOptions,
  emptyDirectory: string,
): Promise<void> {
  const directories =
    options.role === 'planner'
      ? [emptyDirectory]
      : [emptyDirectory, options.pipeDirectory, ...options.dataDirectories];
  const statements = [
    'SET GLOBAL parquet_metadata_cache = true',
    // Column chunks are read whole, so that a bound can be told from their sizes: page by page, the engine reads
    // the start of each page twice, and nothing tells how many pages there are.
    'SET GLOBAL prefetch_all_parquet_files = true',
    "SET GLOBAL TimeZone = 'UTC'",
    `SET GLOBAL allowed_directories = [${directories.map(quoteText).join(', ')}]`,
    // Over an empty table the optimiser would see that nothing can match and plan nothing at all.
    ...(options.role === 'planner'
      ? ["SET GLOBAL disabled_optimizers = 'statistics_propagation'"]
      : []),
    'SET GLOBAL enable_external_access = false',
    'SET GLOBAL lock_configuration = true',
  ];
  for (const statement of statements) await connection.run(statement);
}
