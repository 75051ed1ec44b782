import type { NarrowEdits } from '../engine/protocol.ts';
import {
  asText,
  isAstArray,
  isAstObject,
  parseExact,
  printExact,
  type AstObject,
  type AstValue,
} from './ast.ts';

/**
 * The printed tree with a later start time at every read of a table, or with columns left out of `*`. Undefined
 * when the statement offers no place for the edit.
 */
export function narrowAst(printed: string, edits: NarrowEdits): string | undefined {
  const state = { edits, count: 0 };
  const ast = edit(parseExact(printed), state);
  return state.count === 0 ? undefined : printExact(ast);
}

interface EditState {
  readonly edits: NarrowEdits;
  count: number;
}

function edit(value: AstValue, state: EditState): AstValue {
  if (isAstArray(value)) return value.map((item) => edit(item, state));
  if (!isAstObject(value)) return value;
  const copy: Record<string, AstValue> = {};
  for (const [key, child] of Object.entries(value)) copy[key] = edit(child, state);
  if (asText(value['type']) === 'SELECT_NODE') return editSelect(copy, state);
  return copy;
}

function editSelect(select: Record<string, AstValue>, state: EditState): AstObject {
  const from = select['from_table'] ?? null;
  const tables = baseTables(from);
  const { fromNs, without } = state.edits;
  if (fromNs !== undefined) {
    for (const table of tables) {
      const timeColumn = state.edits.timeColumns[asText(table['table_name']).toLowerCase()];
      if (timeColumn === undefined) continue;
      const name =
        asText(table['alias']) === '' ? asText(table['table_name']) : asText(table['alias']);
      const condition = atLeast([name, timeColumn], fromNs);
      const where = select['where_clause'] ?? null;
      select['where_clause'] = where === null ? condition : both(where, condition);
      state.count += 1;
    }
  }
  const list = select['select_list'] ?? null;
  if (without !== undefined && isAstArray(list) && tables.length === 1) {
    select['select_list'] = list.map((item) => withoutColumns(item, without, state));
  }
  return select;
}

/** Reads in this FROM clause itself. The far side of an outer join is left alone: a condition would change it. */
function baseTables(from: AstValue): AstObject[] {
  if (!isAstObject(from)) return [];
  switch (asText(from['type'])) {
    case 'BASE_TABLE':
      return [from];
    case 'JOIN': {
      const kind = asText(from['join_type']);
      const left = kind === 'RIGHT' || kind === 'OUTER' ? [] : baseTables(from['left'] ?? null);
      const right = kind === 'INNER' ? baseTables(from['right'] ?? null) : [];
      return kind === 'OUTER' ? [] : [...left, ...right];
    }
    default:
      return [];
  }
}

function withoutColumns(item: AstValue, without: readonly string[], state: EditState): AstValue {
  if (!isAstObject(item) || asText(item['class']) !== 'STAR' || item['columns'] === true)
    return item;
  const excluded = item['exclude_list'];
  if (!isAstArray(excluded) || excluded.length > 0 || item['expr'] !== null) return item;
  state.count += 1;
  return { ...item, exclude_list: [...without] };
}

const node = (kind: string, type: string): Record<string, AstValue> => ({
  class: kind,
  type,
  alias: '',
  query_location: 0,
});

const atLeast = (column: readonly string[], digits: string): AstObject => ({
  ...node('COMPARISON', 'COMPARE_GREATERTHANOREQUALTO'),
  left: { ...node('COLUMN_REF', 'COLUMN_REF'), column_names: [...column] },
  right: {
    ...node('CONSTANT', 'VALUE_CONSTANT'),
    value: {
      type: { id: 'BIGINT', type_info: null },
      is_null: false,
      value: `\u0000integer:${digits}`,
    },
  },
});

const both = (left: AstValue, right: AstValue): AstObject => ({
  ...node('CONJUNCTION', 'CONJUNCTION_AND'),
  children: [left, right],
});
