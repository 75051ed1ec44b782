import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { NodeError } from '../../base/errors.ts';
import type { TableSchema } from '../../columns/index.ts';
import { unpackPaths } from '../plan/file-selection.ts';
import { openLocked, type LockedInstance } from './lockdown.ts';
import { collectedSql, collectSql, progressSql } from './newest-first-sql.ts';
import type {
  EngineOpenOptions,
  Execution,
  ExecutionSummary,
  ExecutionTable,
  FilteredNewestFirst,
} from './protocol.ts';
import { ReadAccounting } from './read-accounting.ts';
import { copySql, viewSql } from './sql-text.ts';
import { timeBatches } from './time-batches.ts';

/** Runs checked statements, each on a connection of its own that sees only its pinned files. */
export class Executor {
  readonly #engine: LockedInstance;
  readonly #schemas: ReadonlyMap<string, TableSchema>;
  readonly #running = new Map<number, DuckDBConnection>();
  readonly #interrupted = new Set<number>();
  readonly #reads = new ReadAccounting();

  private constructor(engine: LockedInstance, schemas: readonly TableSchema[]) {
    this.#engine = engine;
    this.#schemas = new Map(schemas.map((schema) => [schema.name, schema]));
  }

  static async open(options: EngineOpenOptions): Promise<Executor> {
    return new Executor(await openLocked(options), options.schemas);
  }

  async execute(id: number, execution: Execution): Promise<ExecutionSummary> {
    this.#reads.start(id, execution.weight);
    const connection = await this.#engine.instance.connect();
    this.#running.set(id, connection);
    try {
      const body = await this.#prepare(id, connection, execution);
      const [row] = await this.#run(id, connection, copySql({ ...execution, body }));
      const rows = Number(row?.[0] ?? 0);
      const readBytes = this.#reads.end(id);
      return { rows, ...(readBytes === undefined ? {} : { readBytes }) };
    } finally {
      this.#reads.end(id);
      this.#running.delete(id);
      this.#interrupted.delete(id);
      connection.closeSync();
    }
  }

  /** Makes what the statement reads visible on the connection; returns what is left to select. */
  async #prepare(id: number, connection: DuckDBConnection, execution: Execution): Promise<string> {
    const { tables, newestFirst, columns } = execution;
    const [table] = tables;
    if (newestFirst !== undefined && table !== undefined && tables.length === 1) {
      await this.#collect(id, connection, { table, newestFirst, columnCount: columns.length });
      return collectedSql(newestFirst, columns.length);
    }
    for (const each of tables) {
      await this.#run(id, connection, this.#view(each, unpackPaths(each.files)));
    }
    return execution.body;
  }

  /**
   * Collects the first rows batch by batch, until they are nearer in time than anything in files not read yet.
   * Each file is read once at most, so all batches together stay within the bound of the whole. One transaction,
   * so that the clock stands still for the statement.
   */
  async #collect(
    id: number,
    connection: DuckDBConnection,
    query: {
      readonly table: ExecutionTable;
      readonly newestFirst: FilteredNewestFirst;
      readonly columnCount: number;
    },
  ): Promise<void> {
    const { table, newestFirst, columnCount } = query;
    const { direction, limit, offset } = newestFirst;
    await this.#run(id, connection, 'BEGIN TRANSACTION');
    let isFirst = true;
    let beyond: string | undefined;
    for (const { paths, nearestLeft } of timeBatches(table.files, direction)) {
      await this.#run(id, connection, this.#view(table, paths));
      await this.#run(id, connection, collectSql(newestFirst, { columnCount, isFirst, beyond }));
      isFirst = false;
      if (nearestLeft === undefined) break;
      const [row] = await this.#run(id, connection, progressSql(newestFirst));
      const last = row?.[1];
      if (Number(row?.[0] ?? 0) < limit + offset || typeof last !== 'string') continue;
      beyond = last;
      const isCertain =
        direction === 'newest' ? BigInt(last) > nearestLeft : BigInt(last) < nearestLeft;
      if (isCertain) break;
    }
    await this.#run(id, connection, 'COMMIT');
  }

  #view(table: ExecutionTable, paths: readonly string[]): string {
    const schema = this.#schemas.get(table.name);
    if (schema === undefined) throw new NodeError('node_internal', 'the table has no schema');
    return viewSql(schema, paths.length > 0 ? paths : [this.#engine.emptyTablePath(schema)], table);
  }

  async #run(
    id: number,
    connection: DuckDBConnection,
    sql: string,
  ): Promise<readonly (readonly DuckDBValue[])[]> {
    if (this.#interrupted.has(id)) throw new NodeError('query_timeout', 'the query was stopped');
    return (await connection.runAndReadAll(sql)).getRows();
  }

  interrupt(id: number): void {
    this.#interrupted.add(id);
    this.#running.get(id)?.interrupt();
  }
}
