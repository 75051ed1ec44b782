import type { TableSchema } from '../../columns/index.ts';
import { asText, isAstArray, isAstObject, type AstObject, type AstValue } from '../sql/ast.ts';
import { scalarFunctions } from '../sql/function-list.ts';

/** A statement that takes the first rows of one table in time order, after a filter that looks at one row at most. */
export interface NewestFirst {
  readonly table: string;
  readonly direction: 'newest' | 'oldest';
  readonly limit: number;
  readonly offset: number;
  /** Whether a condition of the statement can drop rows. */
  readonly isFiltered: boolean;
}

const maxRows = 1_000_000;

/**
 * Recognises `SELECT … FROM table [WHERE …] ORDER BY time [DESC] LIMIT n`, with nothing that groups, multiplies or
 * looks at other rows. Everything else, however harmless, is undefined.
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
  if (direction === undefined || rows === undefined) return undefined;
  const where = root['where_clause'] ?? null;
  return looksAtOtherRows(where)
    ? undefined
    : { table: table.name, direction, ...rows, isFiltered: where !== null };
}

function looksAtOtherRows(value: AstValue): boolean {
  if (isAstArray(value)) return value.some(looksAtOtherRows);
  if (!isAstObject(value)) return false;
  const kind = asText(value['class']);
  return kind === 'SUBQUERY' || kind === 'WINDOW' || Object.values(value).some(looksAtOtherRows);
}

function hasNoRowOperation(root: AstObject): boolean {
  const ctes = isAstObject(root['cte_map']) ? root['cte_map']['map'] : undefined;
  const groups = [root['group_expressions'], root['group_sets'], ctes];
  const filters = ['having', 'qualify', 'sample'];
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

function limitRows(limit: AstValue | undefined): Pick<NewestFirst, 'limit' | 'offset'> | undefined {
  if (!isAstObject(limit) || asText(limit['type']) !== 'LIMIT_MODIFIER') return undefined;
  const rows = constantRows(limit['limit']);
  const offset = limit['offset'] === null ? 0 : constantRows(limit['offset']);
  if (rows === undefined || offset === undefined || rows + offset > maxRows) return undefined;
  return { limit: rows, offset };
}

function constantRows(node: AstValue | undefined): number | undefined {
  const value =
    isAstObject(node) && asText(node['class']) === 'CONSTANT' ? node['value'] : undefined;
  const count = isAstObject(value) ? value['value'] : undefined;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
