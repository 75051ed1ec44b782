import type { Comparison, PlanConstant, Predicate } from './predicate.ts';

export interface ScanFilters {
  /** Columns the text names; these are read even when they are not projected. */
  readonly columns: ReadonlySet<string>;
  readonly predicates: readonly Predicate[];
}

export interface FilterColumn {
  readonly name: string;
  readonly isInteger: boolean;
}

type Token =
  | { readonly kind: 'word' | 'symbol'; readonly text: string }
  | { readonly kind: 'integer'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string; readonly isExact: boolean };

/**
 * Reads the filter text of a scan from an EXPLAIN. The text is meant for people, so this takes only what it is
 * sure of: conjunctions of `column op constant` and `column IN (…)`. An entry with anything else beside them
 * still counts its columns as read, and a text that does not tokenise counts every column.
 */
export function parseScanFilters(
  lines: readonly string[],
  columns: readonly FilterColumn[],
): ScanFilters {
  // The engine splits the text at line breaks, also inside string constants: put it together again first.
  const text = lines.join('\n');
  const tokens = tokenise(text);
  if (tokens === undefined) {
    return { columns: new Set(columns.map((column) => column.name)), predicates: [] };
  }
  const named = new Set<string>();
  for (const token of tokens) {
    if (token.kind === 'word' && columns.some((column) => column.name === token.text))
      named.add(token.text);
  }
  const predicates = splitTokens(tokens, '\n').flatMap((entry) => parseEntry(entry, columns));
  return { columns: named, predicates };
}

const tokenPattern =
  /[ \t\r]+|(\n)|'((?:[^']|'')*)'|("(?:[^"]|"")*")|(-?\d+)(?![\w.])|([A-Za-z_]\w*)|(>=|<=|!=|[=<>()]|[^\s'"])/gy;

function tokenise(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < text.length) {
    const match = tokenPattern.exec(text);
    if (match === null) return undefined; // an unterminated quote
    const [, lineBreak, string, quoted, integer, word, symbol] = match;
    if (lineBreak !== undefined) tokens.push({ kind: 'symbol', text: '\n' });
    else if (string !== undefined) {
      // Line breaks may have been changed by the splitting, so such a value is not trusted.
      tokens.push({
        kind: 'string',
        text: string.replaceAll("''", "'"),
        isExact: !/[\r\n]/.test(string),
      });
    } else if (quoted !== undefined) tokens.push({ kind: 'word', text: quoted.slice(1, -1) });
    else if (integer !== undefined) tokens.push({ kind: 'integer', text: integer });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol });
  }
  return tokens;
}

/** Splits at a separator outside parentheses. */
function splitTokens(tokens: readonly Token[], separator: string): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === 'symbol' && token.text === '(') depth += 1;
    if (token.kind === 'symbol' && token.text === ')') depth -= 1;
    if (depth === 0 && token.kind !== 'string' && token.text === separator) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/**
 * The filters of one column, joined by AND. Those marked `optional:` come last and may be an OR without
 * parentheses; the engine may skip them because a later operator implies them, so they are still true of each
 * row. Either half is taken whole or not at all.
 */
function parseEntry(entry: readonly Token[], columns: readonly FilterColumn[]): Predicate[] {
  const parts = splitTokens(entry, 'AND');
  const firstOptional = parts.findIndex(isOptional);
  if (firstOptional === -1) return parseConjunction(parts, columns) ?? [];
  const firm = parseConjunction(parts.slice(0, firstOptional), columns);
  if (firm === undefined) return [];
  const optional = parts
    .slice(firstOptional)
    .map((part) => (isOptional(part) ? part.slice(2) : part));
  return [...firm, ...(parseConjunction(optional, columns) ?? [])];
}

const isOptional = (part: readonly Token[]): boolean =>
  part[0]?.kind === 'word' && part[0].text === 'optional' && part[1]?.text === ':';

function parseConjunction(
  parts: readonly (readonly Token[])[],
  columns: readonly FilterColumn[],
): Predicate[] | undefined {
  const predicates: Predicate[] = [];
  for (const part of parts) {
    const predicate = parsePredicate(part, columns);
    if (predicate !== undefined) predicates.push(predicate);
    else if (!isEnclosed(part)) return undefined;
  }
  return predicates;
}

/** `(…)` or `name(…)` as a whole, which cannot change the meaning of what it is joined with. */
function isEnclosed(part: readonly Token[]): boolean {
  const start = part[0]?.kind === 'word' ? 1 : 0;
  let depth = 0;
  for (let i = start; i < part.length; i += 1) {
    const token = part[i];
    if (token?.kind !== 'symbol') continue;
    if (token.text === '(') depth += 1;
    if (token.text === ')') depth -= 1;
    if (depth === 0) return i === part.length - 1 && i > start;
  }
  return false;
}

const comparisons: ReadonlySet<string> = new Set<Comparison>(['=', '<', '<=', '>', '>=']);
const isComparison = (text: string): text is Comparison => comparisons.has(text);

function parsePredicate(
  part: readonly Token[],
  columns: readonly FilterColumn[],
): Predicate | undefined {
  const [name, operator, ...rest] = part;
  if (name?.kind !== 'word' || operator === undefined) return undefined;
  const column = columns.find((candidate) => candidate.name === name.text);
  if (column === undefined) return undefined;
  if (operator.kind === 'symbol' && isComparison(operator.text) && rest.length === 1) {
    const value = constantOf(rest[0], column);
    return value === undefined ? undefined : { column: column.name, op: operator.text, value };
  }
  if (operator.kind === 'word' && operator.text === 'IN') return parseIn(column, rest);
  return undefined;
}

function parseIn(column: FilterColumn, rest: readonly Token[]): Predicate | undefined {
  if (rest[0]?.text !== '(' || rest.at(-1)?.text !== ')' || rest.length % 2 === 0) return undefined;
  const values: PlanConstant[] = [];
  for (let i = 1; i < rest.length - 1; i += 1) {
    if (i % 2 === 0) {
      if (rest[i]?.kind !== 'symbol' || rest[i]?.text !== ',') return undefined;
      continue;
    }
    const value = constantOf(rest[i], column);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values.length === 0 ? undefined : { column: column.name, op: 'in', values };
}

function constantOf(token: Token | undefined, column: FilterColumn): PlanConstant | undefined {
  if (token?.kind === 'integer' && column.isInteger) return BigInt(token.text);
  if (token?.kind === 'string' && !column.isInteger && token.isExact) return token.text;
  return undefined;
}
