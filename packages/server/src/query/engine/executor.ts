import type { DuckDBConnection } from '@duckdb/node-api';
import { NodeError } from '../../base/errors.ts';
import type { TableSchema } from '../../columns/index.ts';
import { openLocked, type LockedInstance } from './lockdown.ts';
import type { EngineOpenOptions, Execution, ExecutionSummary } from './protocol.ts';
import { ReadAccounting } from './read-accounting.ts';
import { copySql, viewSql } from './sql-text.ts';

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
      for (const table of execution.tables) {
        const schema = this.#schemas.get(table.name);
        if (schema === undefined) throw new NodeError('node_internal', 'the table has no schema');
        const paths = table.paths.length > 0 ? table.paths : [this.#engine.emptyTablePath(schema)];
        await connection.run(viewSql(schema, paths, table));
      }
      if (this.#interrupted.has(id)) throw new NodeError('query_timeout', 'the query was stopped');
      const result = await connection.runAndReadAll(copySql(execution));
      const rows = Number(result.getRows()[0]?.[0] ?? 0);
      const readBytes = this.#reads.end(id);
      return { rows, ...(readBytes === undefined ? {} : { readBytes }) };
    } finally {
      this.#reads.end(id);
      this.#running.delete(id);
      this.#interrupted.delete(id);
      connection.closeSync();
    }
  }

  interrupt(id: number): void {
    this.#interrupted.add(id);
    this.#running.get(id)?.interrupt();
  }
}
