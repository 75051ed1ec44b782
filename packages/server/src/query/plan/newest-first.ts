import type { TableSchema } from '../../columns/index.ts';
import type { DataFileStats } from '../../lake/index.ts';
import { asText, isAstArray, isAstObject, type AstObject, type AstValue } from '../sql/ast.ts';
import { scalarFunctions } from '../sql/function-list.ts';
import type { PinnedFile } from '../table.ts';

/** A statement that takes the first rows of one table in time order and drops none before. */
export interface NewestFirst {
  readonly table: string;
  readonly direction: 'newest' | 'oldest';
  /** Limit plus offset. */
  readonly rows: number;
}

const maxRows = 1_000_000;

/**
 * Recognises `SELECT … FROM table ORDER BY time [DESC] LIMIT n`, with nothing that filters, groups or multiplies
 * rows. Everything else, however harmless, is undefined.
 */
export function findNewestFirst(
  root: AstObject,
  tables: readonly TableSchema[],
): NewestFirst | undefined {
  if (asText(root['type']) !== 'SELECT_NODE' || !hasNoRowOperation(root)) return undefined;
  const from = root['from_table'];
  if (!isAstObject(from) || asText(from['type']) !== 'BASE_TABLE' || from['sample'] !== null)
    return undefined;
  if (isAstArray(from['column_name_alias']) && from['column_name_alias'].length > 0)
    return undefined;
  const table = tables.find(({ name }) => name === asText(from['table_name']).toLowerCase());
  if (table === undefined || !isAstArray(root['modifiers']) || root['modifiers'].length !== 2)
    return undefined;
  const select = root['select_list'];
  if (!isAstArray(select) || !select.every((item) => isPlainOutput(item, table.timeColumn)))
    return undefined;
  const [order, limit] = root['modifiers'];
  const direction = timeDirection(order, table.timeColumn);
  const rows = limitRows(limit);
  return direction === undefined || rows === undefined
    ? undefined
    : { table: table.name, direction, rows };
}

function hasNoRowOperation(root: AstObject): boolean {
  const ctes = isAstObject(root['cte_map']) ? root['cte_map']['map'] : undefined;
  const groups = [root['group_expressions'], root['group_sets'], ctes];
  const filters = ['where_clause', 'having', 'qualify', 'sample'];
  return (
    filters.every((key) => root[key] === null) &&
    groups.every((list) => isAstArray(list) && list.length === 0) &&
    root['aggregate_handling'] === 'STANDARD_HANDLING'
  );
}

/** Columns, stars, constants and scalar functions of them; an alias must not take the name of the time column. */
function isPlainOutput(item: AstValue, timeColumn: string): boolean {
  if (!isAstObject(item) || asText(item['alias']).toLowerCase() === timeColumn) return false;
  return isPlainExpression(item);
}

const plainFields = new Set([
  'alias',
  'query_location',
  'class',
  'type',
  'cast_type',
  'try_cast',
  'value',
]);

function isPlainExpression(node: AstObject): boolean {
  switch (asText(node['class'])) {
    case 'COLUMN_REF':
    case 'CONSTANT':
      return true;
    case 'STAR':
      return (
        node['columns'] === false &&
        node['expr'] === null &&
        ['replace_list', 'rename_list'].every(
          (key) => isAstArray(node[key]) && node[key].length === 0,
        )
      );
    case 'FUNCTION': {
      const name = asText(node['function_name']).toLowerCase();
      if (name === 'unnest' || !scalarFunctions.has(name) || node['filter'] !== null) return false;
      return childrenArePlain(node['children']);
    }
    case 'OPERATOR':
      return (
        ['ARRAY_EXTRACT', 'OPERATOR_COALESCE'].includes(asText(node['type'])) &&
        childrenArePlain(node['children'])
      );
    case 'CAST':
      return (
        Object.keys(node).every((key) => plainFields.has(key) || key === 'child') &&
        isAstObject(node['child']) &&
        isPlainExpression(node['child'])
      );
    default:
      return false;
  }
}

const childrenArePlain = (children: AstValue | undefined): boolean =>
  isAstArray(children) && children.every((child) => isAstObject(child) && isPlainExpression(child));

function timeDirection(
  order: AstValue | undefined,
  timeColumn: string,
): NewestFirst['direction'] | undefined {
  if (!isAstObject(order) || asText(order['type']) !== 'ORDER_MODIFIER') return undefined;
  const first =
    isAstArray(order['orders']) && order['orders'].length === 1 ? order['orders'][0] : undefined;
  const by = isAstObject(first) ? first['expression'] : undefined;
  if (!isAstObject(first) || !isAstObject(by) || asText(by['class']) !== 'COLUMN_REF')
    return undefined;
  const names = by['column_names'];
  if (!isAstArray(names) || names.length !== 1 || asText(names[0]).toLowerCase() !== timeColumn)
    return undefined;
  if (asText(first['null_order']).replaceAll('_', ' ') === 'NULLS FIRST') return undefined;
  return asText(first['type']) === 'DESCENDING' ? 'newest' : 'oldest';
}

function limitRows(limit: AstValue | undefined): number | undefined {
  if (!isAstObject(limit) || asText(limit['type']) !== 'LIMIT_MODIFIER') return undefined;
  const rows = constantRows(limit['limit']);
  const offset = limit['offset'] === null ? 0 : constantRows(limit['offset']);
  if (rows === undefined || offset === undefined || rows + offset > maxRows) return undefined;
  return rows + offset;
}

function constantRows(node: AstValue | undefined): number | undefined {
  const value =
    isAstObject(node) && asText(node['class']) === 'CONSTANT' ? node['value'] : undefined;
  const count = isAstObject(value) ? value['value'] : undefined;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

export interface NarrowedFiles {
  readonly files: readonly PinnedFile[];
  /** Rows beyond this time cannot be among the first; absent when every row may be. */
  readonly edgeNs?: bigint;
}

/**
 * The files that can hold one of the first rows. Finds a time with enough rows certainly on its near side; what
 * lies wholly beyond it is left out. Rows at that very time stay, so ties are resolved as over all files.
 */
export function narrowNewestFirst(
  files: readonly PinnedFile[],
  wanted: NewestFirst,
  timeColumn: string,
): NarrowedFiles {
  const isNewest = wanted.direction === 'newest';
  const pieces = files.flatMap(({ stats }) => timePieces(stats, timeColumn));
  pieces.sort((a, b) => Number(isNewest ? b.min - a.min : a.max - b.max));
  let rows = 0;
  let edge: bigint | undefined;
  for (const piece of pieces) {
    rows += piece.rows;
    if (rows < wanted.rows) continue;
    edge = isNewest ? piece.min : piece.max;
    break;
  }
  if (edge === undefined) return { files };
  const limit = edge;
  const near = files.filter(({ stats }) => {
    const range = stats.columns.find(({ path }) => path === timeColumn);
    const far = isNewest ? range?.max : range?.min;
    if (typeof far !== 'bigint') return true;
    return isNewest ? far >= limit : far <= limit;
  });
  return { files: near, edgeNs: limit };
}

interface TimePiece {
  readonly min: bigint;
  readonly max: bigint;
  readonly rows: number;
}

/** Row groups, or the whole file, with exact bounds and no null times. */
function timePieces(stats: DataFileStats, timeColumn: string): TimePiece[] {
  const index = stats.columns.findIndex(({ path }) => path === timeColumn);
  const column = stats.columns[index];
  if (column === undefined) return [];
  const groups = stats.rowGroups.map((group) => ({
    rows: group.rows,
    range: group.columns[index],
  }));
  const pieces = groups.length === 0 ? [{ rows: stats.rows, range: column }] : groups;
  return pieces.flatMap(({ rows, range }) => {
    if (typeof range?.min !== 'bigint' || typeof range.max !== 'bigint' || range.nulls !== 0)
      return [];
    return [{ min: range.min, max: range.max, rows }];
  });
}
