/** A constant as statistics hold it: int64 columns as bigint, strings as text. */
export type PlanConstant = bigint | string;

export type Comparison = '=' | '<' | '<=' | '>' | '>=';

/** A condition every row of a scan's result satisfies. A null in the column never satisfies one. */
export type Predicate =
  | { readonly column: string; readonly op: Comparison; readonly value: PlanConstant }
  | { readonly column: string; readonly op: 'in'; readonly values: readonly PlanConstant[] };

/** What statistics say about one column of a file or row group. */
export interface ColumnRange {
  readonly values: number;
  readonly nulls?: number;
  readonly min?: bigint | string;
  readonly max?: bigint | string;
}

/** Order of statistics: integers by value, strings by UTF-8 bytes. Undefined for mixed types. */
export function compareConstants(a: PlanConstant, b: PlanConstant): number | undefined {
  if (typeof a === 'bigint')
    return typeof b === 'bigint' ? Number(a > b) - Number(a < b) : undefined;
  return typeof b === 'string' ? compareUtf8(a, b) : undefined;
}

/** UTF-16 order differs from UTF-8 order only where a surrogate meets a unit above the surrogates. */
function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointOrder(x) - codePointOrder(y);
  }
  return a.length - b.length;
}

const codePointOrder = (unit: number): number =>
  unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2800 : unit >= 0xe000 ? unit - 0x800 : unit;

/**
 * Whether rows with these statistics can satisfy the predicate. Answers true whenever anything needed is
 * unknown; statistics may be looser than the data, never tighter.
 */
export function mayMatch(predicate: Predicate, range: ColumnRange): boolean {
  if (range.values > 0 && range.nulls !== undefined && range.nulls >= range.values) return false;
  if (predicate.op === 'in') return predicate.values.some((value) => mayEqual(value, range));
  const { op, value } = predicate;
  if (op === '=') return mayEqual(value, range);
  const bound = op === '<' || op === '<=' ? range.min : range.max;
  const order = bound === undefined ? undefined : compareConstants(bound, value);
  if (order === undefined) return true;
  switch (op) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

function mayEqual(value: PlanConstant, range: ColumnRange): boolean {
  const low = range.min === undefined ? undefined : compareConstants(range.min, value);
  const high = range.max === undefined ? undefined : compareConstants(range.max, value);
  return (low === undefined || low <= 0) && (high === undefined || high >= 0);
}
