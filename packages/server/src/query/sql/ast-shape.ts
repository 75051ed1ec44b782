/**
 * Which fields each kind of tree node has and what they hold. The guard walks by this table alone: a node kind
 * or a field that is not here is refused, so nothing can hide where the guard does not look.
 */
export type FieldKind =
  /** A string, number, boolean or null. */
  | 'plain'
  /** A list of plain values. */
  | 'names'
  /** Values and types: plain data at any depth, no expression other than a constant. */
  | 'data'
  | 'expression'
  | 'expressions'
  /** Rows of `VALUES`: a list of lists of expressions. */
  | 'rows'
  | 'query'
  | 'statement'
  | 'table'
  | 'ctes'
  /** A record, or a list of records, with a shape of their own in `recordShapes`. */
  | 'record'
  | 'records'
  /** Must be null or empty. */
  | 'absent';

export type Shape = Readonly<Record<string, FieldKind>>;

const expression = {
  class: 'plain',
  type: 'plain',
  alias: 'plain',
  query_location: 'plain',
} as const;

export const expressionShapes: Readonly<Record<string, Shape>> = {
  BETWEEN: { ...expression, input: 'expression', lower: 'expression', upper: 'expression' },
  CASE: { ...expression, case_checks: 'records', else_expr: 'expression' },
  CAST: { ...expression, child: 'expression', cast_type: 'data', try_cast: 'plain' },
  COLLATE: { ...expression, child: 'expression', collation: 'plain' },
  COLUMN_REF: { ...expression, column_names: 'names' },
  COMPARISON: { ...expression, left: 'expression', right: 'expression' },
  CONJUNCTION: { ...expression, children: 'expressions' },
  CONSTANT: { ...expression, value: 'data' },
  FUNCTION: {
    ...expression,
    function_name: 'plain',
    schema: 'plain',
    catalog: 'plain',
    children: 'expressions',
    filter: 'expression',
    order_bys: 'record',
    distinct: 'plain',
    is_operator: 'plain',
    export_state: 'plain',
  },
  LAMBDA: { ...expression, lhs: 'expression', expr: 'expression', syntax_type: 'plain' },
  OPERATOR: { ...expression, children: 'expressions' },
  POSITIONAL_REFERENCE: { ...expression, index: 'plain' },
  STAR: {
    ...expression,
    relation_name: 'plain',
    exclude_list: 'names',
    replace_list: 'records',
    rename_list: 'records',
    qualified_exclude_list: 'records',
    columns: 'plain',
    expr: 'expression',
    unpacked: 'plain',
  },
  SUBQUERY: {
    ...expression,
    subquery_type: 'plain',
    subquery: 'statement',
    child: 'expression',
    comparison_type: 'plain',
  },
  WINDOW: {
    ...expression,
    function_name: 'plain',
    schema: 'plain',
    catalog: 'plain',
    children: 'expressions',
    partitions: 'expressions',
    orders: 'records',
    arg_orders: 'records',
    start: 'plain',
    end: 'plain',
    start_expr: 'expression',
    end_expr: 'expression',
    offset_expr: 'expression',
    default_expr: 'expression',
    filter_expr: 'expression',
    ignore_nulls: 'plain',
    exclude_clause: 'plain',
    distinct: 'plain',
  },
};

const query = { type: 'plain', modifiers: 'records', cte_map: 'ctes' } as const;

export const queryShapes: Readonly<Record<string, Shape>> = {
  SELECT_NODE: {
    ...query,
    select_list: 'expressions',
    from_table: 'table',
    where_clause: 'expression',
    group_expressions: 'expressions',
    group_sets: 'data',
    aggregate_handling: 'plain',
    having: 'expression',
    sample: 'data',
    qualify: 'expression',
  },
  SET_OPERATION_NODE: {
    ...query,
    setop_type: 'plain',
    setop_all: 'plain',
    left: 'query',
    right: 'query',
  },
  RECURSIVE_CTE_NODE: {
    ...query,
    cte_name: 'plain',
    union_all: 'plain',
    left: 'query',
    right: 'query',
    aliases: 'names',
    key_targets: 'expressions',
  },
};

const table = { type: 'plain', alias: 'plain', sample: 'data', query_location: 'plain' } as const;

export const tableShapes: Readonly<Record<string, Shape>> = {
  BASE_TABLE: {
    ...table,
    catalog_name: 'plain',
    schema_name: 'plain',
    table_name: 'plain',
    column_name_alias: 'names',
    at_clause: 'absent',
  },
  EMPTY: table,
  EXPRESSION_LIST: { ...table, expected_names: 'names', expected_types: 'data', values: 'rows' },
  JOIN: {
    ...table,
    left: 'table',
    right: 'table',
    condition: 'expression',
    join_type: 'plain',
    ref_type: 'plain',
    using_columns: 'names',
    delim_flipped: 'plain',
    duplicate_eliminated_columns: 'expressions',
  },
  PIVOT: {
    ...table,
    source: 'table',
    aggregates: 'expressions',
    unpivot_names: 'names',
    pivots: 'records',
    groups: 'names',
    column_name_alias: 'names',
    include_nulls: 'plain',
  },
  SUBQUERY: { ...table, subquery: 'statement', column_name_alias: 'names' },
  TABLE_FUNCTION: {
    ...table,
    function: 'expression',
    column_name_alias: 'names',
    with_ordinality: 'plain',
  },
};

const column: Shape = { catalog: 'plain', schema: 'plain', table: 'plain', column: 'plain' };
const order: Shape = { type: 'plain', null_order: 'plain', expression: 'expression' };
const limit: Shape = { type: 'plain', limit: 'expression', offset: 'expression' };

/** Records by the field that holds them; some fields hold several kinds, told apart by `type`. */
export const recordShapes: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  case_checks: { '': { when_expr: 'expression', then_expr: 'expression' } },
  replace_list: { '': { key: 'plain', value: 'expression' } },
  rename_list: { '': { key: 'record', value: 'plain' } },
  key: { '': column },
  qualified_exclude_list: { '': column },
  orders: { ORDER_DEFAULT: order, ASCENDING: order, DESCENDING: order },
  arg_orders: { ORDER_DEFAULT: order, ASCENDING: order, DESCENDING: order },
  order_bys: { ORDER_MODIFIER: { type: 'plain', orders: 'records' } },
  modifiers: {
    ORDER_MODIFIER: { type: 'plain', orders: 'records' },
    DISTINCT_MODIFIER: { type: 'plain', distinct_on_targets: 'expressions' },
    LIMIT_MODIFIER: limit,
    LIMIT_PERCENT_MODIFIER: limit,
  },
  pivots: {
    '': {
      pivot_expressions: 'expressions',
      unpivot_names: 'names',
      entries: 'records',
      pivot_enum: 'absent',
    },
  },
  entries: { '': { values: 'data', star_expr: 'expression', alias: 'plain' } },
};
