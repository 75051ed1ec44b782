import { parseSearch } from './parse-search.ts';
import { SearchSyntaxError, type Match, type SearchNode } from './search-node.ts';

export interface TimeBounds {
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

export interface CompiledSearch {
  readonly rowsSql: string;
  readonly countSql: string;
}

export const rowLimit = 200;

const textColumns = new Set([
  'source',
  'service',
  'body',
  'idempotency_key',
  'host',
  'env',
  'namespace',
  'tenant',
]);
const allColumns =
  'timestamp_ns, source, service, body, idempotency_key, attributes, host, env, namespace, tenant';

/** The SQL that a search becomes: its newest rows, and how many match. Throws `SearchSyntaxError`. */
export function compileSearch(text: string, bounds: TimeBounds | undefined): CompiledSearch {
  const node = parseSearch(text);
  const conditions = [
    ...(bounds === undefined
      ? []
      : [`timestamp_ns >= ${bounds.fromNs}`, `timestamp_ns < ${bounds.toNs}`]),
    ...(node === undefined ? [] : topLevel(node).map(condition)),
  ];
  const from = `FROM raw_events${conditions.length === 0 ? '' : `\nWHERE ${conditions.join('\n  AND ')}`}`;
  return {
    rowsSql: `SELECT ${allColumns}\n${from}\nORDER BY timestamp_ns DESC\nLIMIT ${rowLimit}`,
    countSql: `SELECT count(*) AS matches\n${from}`,
  };
}

function topLevel(node: SearchNode): readonly SearchNode[] {
  return node.kind === 'all' ? node.nodes : [node];
}

function condition(node: SearchNode): string {
  switch (node.kind) {
    case 'all':
      return `(${node.nodes.map(condition).join(' AND ')})`;
    case 'any':
      return `(${node.nodes.map(condition).join(' OR ')})`;
    case 'not':
      // An event without the field does not have the value either.
      return `(${condition(node.node)}) IS NOT TRUE`;
    case 'match':
      return node.field === undefined || node.field === 'body'
        ? inBody(node.match)
        : ofField(node.field, node.match, node.at);
  }
}

function inBody(match: Match): string {
  switch (match.kind) {
    case 'is':
      return `body ILIKE ${likePattern(['', match.value, ''])} ESCAPE '\\'`;
    case 'like':
      return `body ILIKE ${likePattern(['', ...match.pieces, ''])} ESCAPE '\\'`;
    case 'exists':
      return 'body IS NOT NULL';
    case 'compare':
      return `body ${match.operator} ${sqlString(match.value)}`;
  }
}

function ofField(field: string, match: Match, at: number): string {
  if (field === 'timestamp_ns') return ofTime(match, at);
  const value = textColumns.has(field) ? field : `attributes[${sqlString(field)}]`;
  switch (match.kind) {
    case 'is':
      return `${value} = ${sqlString(match.value)}`;
    case 'like':
      return `${value} LIKE ${likePattern(match.pieces)} ESCAPE '\\'`;
    case 'exists':
      return `${value} IS NOT NULL`;
    case 'compare': {
      if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(match.value)) {
        throw new SearchSyntaxError(`${match.operator} wants a number, not ${match.value}`, at);
      }
      return `TRY_CAST(${value} AS DOUBLE) ${match.operator} ${match.value}`;
    }
  }
}

function ofTime(match: Match, at: number): string {
  if (match.kind === 'exists') return 'timestamp_ns IS NOT NULL';
  const value = match.kind === 'like' ? '*' : match.value;
  if (!/^-?\d{1,19}$/.test(value)) {
    throw new SearchSyntaxError('timestamp_ns wants whole nanoseconds since 1970', at);
  }
  return `timestamp_ns ${match.kind === 'compare' ? match.operator : '='} ${value}`;
}

/** Pieces of literal text joined by `%`. */
function likePattern(pieces: readonly string[]): string {
  return sqlString(pieces.map((piece) => piece.replace(/[\\%_]/g, '\\$&')).join('%'));
}

/** A string literal. Only the quote is special in it; a NUL cannot be in an event and ends no literal early here. */
export function sqlString(text: string): string {
  return `'${text.replaceAll("'", "''").replaceAll('\u0000', '')}'`;
}

/** A search term that matches a field's exact value, to add to a search. */
export function fieldTerm(field: string, value: string): string {
  const quote = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;
  const name = /^[A-Za-z_@][\w.@/-]*$/.test(field) ? field : quote(field);
  const isPlain = /^[\w.@/-]+$/.test(value) && !value.startsWith('-');
  return `${name}:${isPlain ? value : quote(value)}`;
}
