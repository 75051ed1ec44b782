import type { DuckDBConnection } from '@duckdb/node-api';
import { NodeError } from '../../base/errors.ts';
import type { TableSchema } from '../../columns/index.ts';
import { parseExplain, type TableScan } from '../plan/explain.ts';
import { findNewestFirst } from '../plan/newest-first.ts';
import { withoutPositions, type AstObject } from '../sql/ast.ts';
import { keyedAst } from '../sql/keyed-ast.ts';
import { narrowAst } from '../sql/narrow-ast.ts';
import { guardSql, maxSqlLength } from '../sql/sql-guard.ts';
import { openLocked, type LockedInstance } from './lockdown.ts';
import { collectSql } from './newest-first-sql.ts';
import { csvExpression, jsonExpression } from './output-expression.ts';
import type {
  EngineOpenOptions,
  FilteredNewestFirst,
  NarrowEdits,
  PlannedNewestFirst,
  PlannedSql,
  ResultColumn,
  VisibleTable,
} from './protocol.ts';
import { jsonRowsSql, quoteText, viewSql, visibleColumns } from './sql-text.ts';

/**
 * Checks statements and finds out what they would read, on an engine that holds no data at all. Nothing here
 * can touch an event, so it runs before any limit has been checked.
 */
export class Planner {
  readonly #engine: LockedInstance;
  readonly #schemas: ReadonlyMap<string, TableSchema>;
  readonly #parser: DuckDBConnection;
  readonly #wrapping: readonly [before: string, after: string];

  private constructor(parts: {
    engine: LockedInstance;
    schemas: readonly TableSchema[];
    parser: DuckDBConnection;
    wrapping: readonly [string, string];
  }) {
    this.#engine = parts.engine;
    this.#schemas = new Map(parts.schemas.map((schema) => [schema.name, schema]));
    this.#parser = parts.parser;
    this.#wrapping = parts.wrapping;
  }

  static async open(options: EngineOpenOptions): Promise<Planner> {
    const engine = await openLocked(options);
    const parser = await engine.instance.connect();
    const statement = nodeOf(await serialize(parser, 'SELECT 1'));
    const wrapped = nodeOf(await serialize(parser, wrap('SELECT 1')));
    const [before, after] = (wrapped ?? '').split(statement ?? '\u0000');
    if (before === undefined || after === undefined) {
      throw new NodeError(
        'query_engine_failed',
        'the query engine prints statements in an unknown form',
      );
    }
    return new Planner({ engine, schemas: options.schemas, parser, wrapping: [before, after] });
  }

  /** Throws `sql_invalid` or `sql_not_allowed`; otherwise says what running the statement means. */
  async plan(sql: string, visible: readonly VisibleTable[]): Promise<PlannedSql> {
    if (sql.length > maxSqlLength) {
      throw new NodeError('sql_not_allowed', 'the statement is too long', {
        details: { length: sql.length, limit: maxSqlLength },
      });
    }
    if (sql.split('/*').length > maxComments) {
      throw new NodeError('sql_not_allowed', 'the statement has too many comments', {
        details: { limit: maxComments },
      });
    }
    if (sql.includes('\u0000'))
      throw new NodeError('sql_invalid', 'the statement holds a NUL character');
    const printed = await serialize(this.#parser, sql);
    const guarded = guardSql(
      printed,
      visible.map(({ name }) => name),
    );
    const body = await this.#body(sql, printed);
    const tables = visible.filter(({ name }) => guarded.tables.includes(name));
    const schemas = tables.map((table) => ({ table, schema: this.#schema(table.name) }));
    const connection = await this.#engine.instance.connect();
    try {
      for (const { table, schema } of schemas) {
        await connection.run(viewSql(schema, [this.#engine.emptyTablePath(schema)], table));
      }
      const columns = await resultColumns(connection, body);
      const explained = await firstText(
        connection,
        `EXPLAIN (FORMAT JSON) ${jsonRowsSql(body, columns)}`,
        1,
      );
      const { scans, tree } = parseExplain(
        explained,
        schemas.map(({ schema }) => ({ ...schema, columns: visibleColumns(schema) })),
      );
      const newestFirst = await this.#newestFirst(guarded.root, {
        printed,
        connection,
        tables,
        columns,
      });
      return {
        body,
        tables: guarded.tables,
        columns,
        scans: guarded.usesClock ? scans.map(withoutClock) : scans,
        usesClock: guarded.usesClock,
        ...(newestFirst === undefined ? {} : { newestFirst }),
        tree,
      };
    } finally {
      connection.closeSync();
    }
  }

  /** The statement with the edits made, as SQL; undefined when there is nothing to edit. */
  async narrow(sql: string, edits: NarrowEdits): Promise<string | undefined> {
    const edited = narrowAst(await serialize(this.#parser, sql), edits);
    return edited === undefined ? undefined : deserialize(this.#parser, edited);
  }

  async #newestFirst(
    root: AstObject,
    statement: {
      readonly printed: string;
      readonly connection: DuckDBConnection;
      readonly tables: readonly VisibleTable[];
      readonly columns: readonly ResultColumn[];
    },
  ): Promise<PlannedNewestFirst | undefined> {
    const { printed, connection, tables, columns } = statement;
    const found = findNewestFirst(
      root,
      tables.map(({ name }) => this.#schema(name)),
    );
    if (found === undefined) return undefined;
    const isScoped = tables.some(({ scope }) => scope !== undefined);
    if (!found.isFiltered && !isScoped) return found;
    const rows = found.limit + found.offset;
    if (rows === 0 || rows > maxFilteredRows || columns.some(isUnnamedStruct)) return undefined;
    const ast = keyedAst(printed, this.#schema(found.table).timeColumn);
    if (ast === undefined) return undefined;
    const keyed = (await deserialize(this.#parser, ast)).replace(/;\s*$/, '');
    guardSql(
      await serialize(this.#parser, keyed),
      tables.map(({ name }) => name),
    );
    const planned = { ...found, isFiltered: true, keyed };
    return (await canCollect(connection, planned, columns.length)) ? planned : undefined;
  }

  #schema(name: string): TableSchema {
    const schema = this.#schemas.get(name);
    if (schema === undefined)
      throw new NodeError('node_internal', 'the table has no schema', { details: { name } });
    return schema;
  }

  /**
   * The text that runs, as a subquery of ours. It is only used if, wrapped in parentheses, it parses to the very
   * statement that was checked; otherwise the checked tree is printed back and that is held to the same.
   */
  async #body(sql: string, printed: string): Promise<string> {
    const statement = nodeOf(printed);
    const candidates = [withoutSemicolons(sql), undefined];
    for (const candidate of candidates) {
      const body = candidate ?? (await deserialize(this.#parser, printed)).replace(/;\s*$/, '');
      const wrapped = nodeOf(await serialize(this.#parser, wrap(body)));
      if (statement !== undefined && wrapped === this.#wrapping.join(statement)) return body;
    }
    throw new NodeError(
      'sql_not_allowed',
      'the statement cannot be run as a subquery; write it as a plain SELECT',
    );
  }
}

/** The engine cannot keep such values in a table, and says so only when it has one. */
const isUnnamedStruct = ({ type }: ResultColumn): boolean => type.includes('"" ');

/** Some types can be selected but not kept in a table. */
async function canCollect(
  connection: DuckDBConnection,
  newestFirst: FilteredNewestFirst,
  columnCount: number,
): Promise<boolean> {
  try {
    await connection.run(collectSql(newestFirst, { columnCount, isFirst: true }));
    return true;
  } catch {
    return false;
  }
}

/** The first rows are kept in memory until they are known to be the first. */
const maxFilteredRows = 10_000;

const clockSlackNs = 600n * 1_000_000_000n;

/**
 * The engine has put the time of planning into the filters, but the statement runs later. Lower bounds only
 * grow until then and stay, with some slack; nothing else can be relied on.
 */
function withoutClock(scan: TableScan): TableScan {
  const predicates = scan.predicates.flatMap((predicate) => {
    if (predicate.op === 'in' || typeof predicate.value === 'string') return [];
    if (predicate.op !== '>' && predicate.op !== '>=') return [];
    return [{ ...predicate, value: predicate.value - clockSlackNs }];
  });
  return { ...scan, predicates };
}

/** The engine takes a time that grows with the square of their number; 40,000 keep it busy for a minute. */
const maxComments = 1000;

/** The statement without what may follow it. A pattern for this would look at long blanks again and again. */
function withoutSemicolons(sql: string): string {
  let body = sql.trim();
  while (body.endsWith(';')) body = body.slice(0, -1).trimEnd();
  return body;
}

const wrap = (body: string): string => `SELECT * FROM (${body}\n) AS result`;

const printedStatement =
  /^\{"error":false,"statements":\[\{"node":(.*),"named_param_map":\[\]\}\]\}$/s;

/** The printed query node of a single statement, without positions. */
const nodeOf = (printed: string): string | undefined =>
  printedStatement.exec(withoutPositions(printed))?.[1];

const serialize = (connection: DuckDBConnection, sql: string): Promise<string> =>
  firstText(connection, `SELECT json_serialize_sql(${quoteText(sql)})`, 0);

const deserialize = (connection: DuckDBConnection, ast: string): Promise<string> =>
  firstText(connection, `SELECT json_deserialize_sql(${quoteText(ast)}::JSON)`, 0);

async function firstText(
  connection: DuckDBConnection,
  sql: string,
  column: number,
): Promise<string> {
  const value = (await connection.runAndReadAll(sql)).getRows()[0]?.[column];
  if (typeof value !== 'string')
    throw new NodeError('sql_invalid', 'the statement could not be parsed');
  return value;
}

async function resultColumns(connection: DuckDBConnection, body: string): Promise<ResultColumn[]> {
  const prepared = await connection.prepare(body);
  try {
    return Array.from({ length: prepared.columnCount }, (_, i) => {
      const type = prepared.columnType(i);
      const value = `c${String(i)}`;
      return {
        name: prepared.columnName(i),
        type: type.alias ?? type.toString(),
        json: jsonExpression(type, value),
        csv: csvExpression(type, value),
      };
    });
  } finally {
    prepared.destroySync();
  }
}
