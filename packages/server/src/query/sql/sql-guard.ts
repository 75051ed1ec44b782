import { NodeError } from '../../base/errors.ts';
import {
  expressionShapes,
  queryShapes,
  recordShapes,
  tableShapes,
  type FieldKind,
  type Shape,
} from './ast-shape.ts';
import { asText, isAstArray, isAstObject, parseAst, type AstObject, type AstValue } from './ast.ts';
import {
  aggregateFunctions,
  clockFunctions,
  scalarFunctions,
  tableFunctions,
} from './function-list.ts';

/** Longest statement accepted, in characters. */
export const maxSqlLength = 256 * 1024;
/** Deepest nesting of expressions and subqueries; the engine's own recursion is far from its stack here. */
const maxDepth = 400;
const maxNodes = 200_000;

export interface GuardedSql {
  /** The tables the statement reads, in the spelling of the table list. */
  readonly tables: readonly string[];
  /** Root query node of the one SELECT. */
  readonly root: AstObject;
  /** True when the result depends on the time it runs at. */
  readonly usesClock: boolean;
}

interface Scope {
  readonly cteNames: ReadonlySet<string>;
  readonly depth: number;
}

const emptyScope: Scope = { cteNames: new Set(), depth: 0 };

/** No dot, slash or glob character: such a name can never be taken for a file. */
const plainCteName = /^[\p{L}\p{N}_ $-]{1,128}$/u;
const catalogName = /^(?:duckdb_|pg_|sqlite_|pragma_|information_schema)/i;

/**
 * Accepts exactly one SELECT that reads nothing but the named tables and calls nothing but the listed
 * functions; throws `sql_invalid` for what does not parse and `sql_not_allowed`, with the position where one is
 * known, for the rest. Works on the engine's own printed tree of the statement and refuses every node kind and
 * field it does not know.
 */
export function guardSql(printedAst: string, tableNames: readonly string[]): GuardedSql {
  const root = singleSelect(printedAst);
  const guard = new SqlGuard(tableNames);
  guard.query(root, emptyScope);
  return { tables: [...guard.tables], root, usesClock: guard.usesClock };
}

function singleSelect(printedAst: string): AstObject {
  let ast: AstValue;
  try {
    ast = parseAst(printedAst);
  } catch (cause) {
    throw new NodeError('sql_not_allowed', 'the statement holds a value that cannot be checked', {
      cause,
    });
  }
  if (!isAstObject(ast)) throw new NodeError('sql_invalid', 'the statement could not be parsed');
  if (ast['error'] === true) throw parseFailure(ast);
  const statements = ast['statements'];
  if (!isAstArray(statements) || statements.length !== 1) {
    const count = isAstArray(statements) ? statements.length : 0;
    throw new NodeError('sql_not_allowed', 'send exactly one SELECT statement', {
      details: { statements: count },
    });
  }
  const statement = statements[0];
  if (!isAstObject(statement))
    throw new NodeError('sql_invalid', 'the statement could not be parsed');
  return statementQuery(statement);
}

function parseFailure(ast: AstObject): NodeError {
  const message = asText(ast['error_message']);
  if (asText(ast['error_type']) === 'not implemented') {
    return new NodeError('sql_not_allowed', 'only one SELECT statement is allowed', {
      details: { reason: message },
    });
  }
  const position = Number(asText(ast['position']));
  return new NodeError(
    'sql_invalid',
    message === '' ? 'the statement could not be parsed' : message,
    {
      details: Number.isSafeInteger(position) ? { position } : {},
    },
  );
}

function statementQuery(statement: AstObject): AstObject {
  for (const key of Object.keys(statement)) {
    if (key !== 'node' && key !== 'named_param_map')
      throw unknownShape(`statement.${key}`, statement);
  }
  const parameters = statement['named_param_map'];
  if (isAstArray(parameters) ? parameters.length > 0 : parameters !== undefined) {
    throw new NodeError(
      'sql_not_allowed',
      'parameters are not supported; write the values into the statement',
    );
  }
  const node = statement['node'];
  if (!isAstObject(node)) throw unknownShape('statement.node', statement);
  return node;
}

function position(node: AstObject): Readonly<Record<string, unknown>> {
  const location = node['query_location'];
  return typeof location === 'number' && Number.isSafeInteger(location)
    ? { position: location }
    : {};
}

const unknownShape = (what: string, node: AstObject): NodeError =>
  new NodeError('sql_not_allowed', 'the statement uses a construct that is not supported', {
    details: { construct: what, ...position(node) },
  });

class SqlGuard {
  readonly tables = new Set<string>();
  usesClock = false;
  readonly #allowed: ReadonlyMap<string, string>;
  #nodes = 0;

  constructor(tableNames: readonly string[]) {
    this.#allowed = new Map(tableNames.map((name) => [name.toLowerCase(), name]));
  }

  query(node: AstObject, outer: Scope): void {
    const kind = asText(node['type']);
    const shape = Object.hasOwn(queryShapes, kind) ? queryShapes[kind] : undefined;
    if (shape === undefined) throw unknownShape(`query ${kind}`, node);
    let scope = this.#ctes(node['cte_map'], this.#deeper(outer, node));
    if (kind === 'RECURSIVE_CTE_NODE') scope = withCte(scope, asText(node['cte_name']));
    this.#fields(node, shape, scope);
  }

  #deeper(scope: Scope, node: AstObject): Scope {
    this.#nodes += 1;
    if (scope.depth >= maxDepth || this.#nodes > maxNodes) {
      throw new NodeError('sql_not_allowed', 'the statement is too large or nested too deeply', {
        details: position(node),
      });
    }
    return { ...scope, depth: scope.depth + 1 };
  }

  /** Each common table expression sees the ones before it, and itself when it is recursive. */
  #ctes(value: AstValue | undefined, outer: Scope): Scope {
    if (value === undefined || value === null) return outer;
    const map = isAstObject(value) ? value['map'] : undefined;
    if (!isAstObject(value) || !isAstArray(map) || Object.keys(value).length !== 1) {
      throw unknownShape('cte_map', {});
    }
    let scope = outer;
    for (const entry of map) {
      const definition = isAstObject(entry) ? entry['value'] : undefined;
      if (!isAstObject(entry) || !isAstObject(definition)) throw unknownShape('cte', {});
      const name = asText(entry['key']);
      if (!plainCteName.test(name) || catalogName.test(name)) {
        throw new NodeError('sql_not_allowed', 'a common table expression needs a plain name', {
          details: { name },
        });
      }
      this.#fields(
        definition,
        { aliases: 'names', query: 'statement', materialized: 'plain', key_targets: 'expressions' },
        scope,
      );
      scope = withCte(scope, name);
    }
    return scope;
  }

  #fields(node: AstObject, shape: Shape, scope: Scope): void {
    for (const [key, value] of Object.entries(node)) {
      const kind = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (kind === undefined) throw unknownShape(`${asText(node['type'])}.${key}`, node);
      if (!this.#field({ key, value, kind }, node, scope)) {
        throw unknownShape(`${asText(node['type'])}.${key}`, node);
      }
    }
  }

  /** False when the value does not have the form its kind demands. */
  #field(
    field: { key: string; value: AstValue; kind: FieldKind },
    node: AstObject,
    scope: Scope,
  ): boolean {
    const { key, value, kind } = field;
    switch (kind) {
      case 'plain':
        return isPlain(value);
      case 'names':
        return isAstArray(value) && value.every(isPlain);
      case 'data':
        return isData(value, 0);
      case 'absent':
        return value === null || value === '' || (isAstArray(value) && value.length === 0);
      case 'ctes':
        return true; // walked before the other fields, which see its names
      case 'rows':
        return (
          isAstArray(value) &&
          value.every((row) => this.#each(row, (e) => this.#expression(e, scope)))
        );
      case 'expressions':
        return this.#each(value, (item) => this.#expression(item, scope));
      case 'records':
        return this.#each(value, (item) => this.#record(key, item, scope));
      case 'record':
        return this.#optional(value, (item) => this.#record(key, item, scope));
      case 'expression':
        if (key === 'function' && isAstObject(value)) this.#tableFunction(value);
        return this.#optional(value, (item) => this.#expression(item, scope, key === 'function'));
      case 'table':
        return this.#optional(value, (item) => this.#table(item, scope));
      case 'query':
        return isAstObject(value) && (this.query(value, scope), true);
      case 'statement':
        return (
          isAstObject(value) && (this.query(statementQuery(value), this.#deeper(scope, node)), true)
        );
    }
  }

  #each(value: AstValue | undefined, visit: (item: AstObject) => void): boolean {
    if (!isAstArray(value)) return false;
    for (const item of value) {
      if (!isAstObject(item)) return false;
      visit(item);
    }
    return true;
  }

  #optional(value: AstValue, visit: (item: AstObject) => void): boolean {
    if (value === null) return true;
    if (!isAstObject(value)) return false;
    visit(value);
    return true;
  }

  #record(field: string, record: AstObject, scope: Scope): void {
    const shapes = recordShapes[field] ?? {};
    const kind = asText(record['type']);
    const shape = Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
    if (shape === undefined) throw unknownShape(`${field} ${kind}`, record);
    this.#fields(record, shape, scope);
  }

  #table(node: AstObject, scope: Scope): void {
    const kind = asText(node['type']);
    const shape = Object.hasOwn(tableShapes, kind) ? tableShapes[kind] : undefined;
    if (shape === undefined) throw unknownShape(`from ${kind}`, node);
    if (kind === 'BASE_TABLE') this.#baseTable(node, scope);
    this.#fields(node, shape, this.#deeper(scope, node));
  }

  #baseTable(node: AstObject, scope: Scope): void {
    const name = asText(node['table_name']);
    const isQualified = asText(node['schema_name']) !== '' || asText(node['catalog_name']) !== '';
    if (!isQualified && scope.cteNames.has(name.toLowerCase())) return;
    const known = isQualified ? undefined : this.#allowed.get(name.toLowerCase());
    if (known === undefined) {
      throw new NodeError(
        'sql_not_allowed',
        'the statement reads a table that does not exist or is not yours to read',
        {
          details: { table: name, tables: [...this.#allowed.values()], ...position(node) },
        },
      );
    }
    this.tables.add(known);
  }

  #tableFunction(node: AstObject): void {
    const name = asText(node['function_name']).toLowerCase();
    const isQualified = asText(node['schema']) !== '' || asText(node['catalog']) !== '';
    if (asText(node['class']) !== 'FUNCTION' || isQualified || !tableFunctions.has(name)) {
      throw refusedFunction(name, node);
    }
  }

  #expression(node: AstObject, scope: Scope, isTableFunction = false): void {
    const kind = asText(node['class']);
    const shape = Object.hasOwn(expressionShapes, kind) ? expressionShapes[kind] : undefined;
    if (kind === 'PARAMETER') {
      throw new NodeError(
        'sql_not_allowed',
        'parameters are not supported; write the values into the statement',
        {
          details: position(node),
        },
      );
    }
    if (shape === undefined) throw unknownShape(`expression ${kind}`, node);
    const column =
      kind === 'COLUMN_REF' && isAstArray(node['column_names'])
        ? node['column_names'][0]
        : undefined;
    if (clockFunctions.has(asText(column ?? node['function_name']).toLowerCase()))
      this.usesClock = true;
    if ((kind === 'FUNCTION' && !isTableFunction) || kind === 'WINDOW') {
      const name = asText(node['function_name']).toLowerCase();
      const isKnown = scalarFunctions.has(name) || aggregateFunctions.has(name);
      if (!isKnown || asText(node['catalog']) !== '') throw refusedFunction(name, node);
    }
    this.#fields(node, shape, this.#deeper(scope, node));
  }
}

const refusedFunction = (name: string, node: AstObject): NodeError =>
  new NodeError('sql_not_allowed', 'the statement calls a function that is not available', {
    details: { function: name, ...position(node) },
  });

const withCte = (scope: Scope, name: string): Scope => ({
  ...scope,
  cteNames: new Set(scope.cteNames).add(name.toLowerCase()),
});

const isPlain = (value: AstValue): boolean => value === null || typeof value !== 'object';

function isData(value: AstValue, depth: number): boolean {
  if (depth > 64) return false;
  if (isAstArray(value)) return value.every((item) => isData(item, depth + 1));
  if (!isAstObject(value)) return true;
  if (value['class'] !== undefined && value['class'] !== 'CONSTANT') return false;
  if (value['select_list'] !== undefined || value['table_name'] !== undefined) return false;
  return Object.values(value).every((item) => isData(item, depth + 1));
}
