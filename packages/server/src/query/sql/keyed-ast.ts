import { isAstArray, isAstObject, parseExact, printExact } from './ast.ts';

/**
 * A plain SELECT without its order and limit and with a column of its table as one more, last column, so that
 * whoever runs it can order and cut the rows. Undefined when the statement is something else.
 */
export function keyedAst(printed: string, column: string): string | undefined {
  const root = parseExact(printed);
  const statements = isAstObject(root) ? root['statements'] : undefined;
  const statement = isAstArray(statements) ? statements[0] : undefined;
  const node = isAstObject(statement) ? statement['node'] : undefined;
  if (!isAstObject(root) || !isAstObject(statement) || !isAstObject(node)) return undefined;
  const select = node['select_list'];
  if (!isAstArray(select)) return undefined;
  const key = {
    class: 'COLUMN_REF',
    type: 'COLUMN_REF',
    alias: '',
    query_location: 0,
    column_names: [column],
  };
  const keyed = { ...node, select_list: [...select, key], modifiers: [] };
  return printExact({ ...root, statements: [{ ...statement, node: keyed }] });
}
