import { z } from 'zod';
import { NodeError } from '../../base/errors.ts';
import type { TableSchema } from '../../columns/index.ts';
import { parseScanFilters, type FilterColumn } from './filter-text.ts';
import type { Predicate } from './predicate.ts';

/** One read of a table by a plan. */
export interface TableScan {
  /** Tables this may be a read of; several only when the plan does not tell them apart. */
  readonly tables: readonly string[];
  readonly columns: readonly string[];
  readonly predicates: readonly Predicate[];
  /** How often the engine may read the same bytes for this scan. */
  readonly passes: number;
  /** Whether the engine may look values up in the filters that some files hold beside their columns. */
  readonly looksUpValues: boolean;
}

const text = z.union([z.string(), z.array(z.string())]);

interface PlanNode {
  readonly name: string;
  readonly extra_info: Readonly<Record<string, unknown>>;
  readonly children: readonly PlanNode[];
}

const planNode: z.ZodType<PlanNode> = z.object({
  name: z.string(),
  extra_info: z.record(z.string(), z.unknown()),
  get children() {
    return z.array(planNode);
  },
});

const linesOf = (value: unknown): string[] => {
  const parsed = text.safeParse(value);
  if (!parsed.success) return [];
  return typeof parsed.data === 'string' ? [parsed.data] : parsed.data;
};

export interface ExplainedPlan {
  readonly scans: readonly TableScan[];
  readonly tree: unknown;
}

/** Reads the scans out of `EXPLAIN (FORMAT JSON)` of a statement over the given tables. */
export function parseExplain(json: string, tables: readonly TableSchema[]): ExplainedPlan {
  const tree: unknown = JSON.parse(json);
  const roots = z.array(planNode).parse(tree);
  const scans: TableScan[] = [];
  const hasJoin = roots.some(isOrHasJoin);
  for (const root of roots) collectScans(root, { tables, scans, passes: 1, hasJoin });
  return { scans, tree };
}

interface Walk {
  readonly tables: readonly TableSchema[];
  readonly scans: TableScan[];
  readonly passes: number;
  readonly hasJoin: boolean;
}

/** A join can filter the scan of one side by the values of the other. */
const isOrHasJoin = (node: PlanNode): boolean =>
  node.name.includes('JOIN') || node.children.some(isOrHasJoin);

/** Ends of a plan that read no table. What is not known here may be one that does. */
const leavesWithoutTable: ReadonlySet<string> = new Set([
  'COLUMN_DATA_SCAN',
  'CTE_SCAN',
  'DELIM_SCAN',
  'DUMMY_SCAN',
  'EMPTY_RESULT',
  'GENERATE_SERIES',
  'HASH_GROUP_BY', // of a correlated column, the one half of a join that has the other
  'JSON_EACH',
  'JSON_TREE',
  'PERFECT_HASH_GROUP_BY',
  'RANGE',
  'REC_CTE_SCAN',
  'REC_REC_CTE_SCAN',
  'REPEAT',
  'UNNEST',
]);

/** Stands for every table read in full. */
const anyScan = ({ tables }: Walk): TableScan => ({
  tables: tables.map(({ name }) => name),
  columns: [...new Set(tables.flatMap(({ columns }) => columns.map(({ name }) => name)))],
  predicates: [],
  passes: 2,
  looksUpValues: true,
});

const isRowLimit = (name: string): boolean => /TOP_N|LIMIT|SAMPLE/.test(name);
const passesThrough = (name: string): boolean => /^(?:PROJECTION|FILTER)$/.test(name);

function collectScans(node: PlanNode, walk: Walk): void {
  const name = node.name.trim();
  if (/READ_PARQUET|PARQUET_SCAN|SEQ_SCAN|TABLE_SCAN/.test(name)) {
    walk.scans.push(scanOf(node, walk));
    return;
  }
  if (node.children.length === 0 && !leavesWithoutTable.has(name)) {
    walk.scans.push(anyScan(walk));
    return;
  }
  const isRecursive = /REC(?:URSIVE)?_.*CTE|RECURSIVE/.test(name);
  node.children.forEach((child, index) => {
    const before = walk.scans.length;
    collectScans(child, { ...walk, passes: childPasses(name, walk.passes) });
    if (isRecursive && index > 0 && walk.scans.length > before) {
      throw new NodeError(
        'sql_not_allowed',
        'the recursive part of a common table expression must not read a table, because it would read it again at every step',
      );
    }
  });
}

/**
 * The engine may turn a row limit right above a scan into two reads (first the columns that decide, then the
 * rest). Whether it does can depend on row counts that the planner's empty tables do not have, so such a scan
 * counts twice.
 */
function childPasses(name: string, passes: number): number {
  if (isRowLimit(name)) return 2;
  return passesThrough(name) ? passes : 1;
}

function scanOf(node: PlanNode, walk: Walk): TableScan {
  const projected = linesOf(node.extra_info['Projections']).filter((line) => line !== '');
  const filterLines = linesOf(node.extra_info['Filters']);
  const candidates = walk.tables.filter((table) => {
    const names = new Set(table.columns.map((column) => column.name));
    return projected.every((column) => names.has(column));
  });
  // A projection nobody knows means the text was not understood: count everything of every table.
  const tables = candidates.length > 0 ? candidates : walk.tables;
  const columns: FilterColumn[] = tables.flatMap((table) =>
    table.columns
      .filter((column) => column.type !== 'map<utf8,utf8>' || filterLines.length > 0)
      .map((column) => ({ name: column.name, isInteger: column.type === 'int64' })),
  );
  const filters = parseScanFilters(filterLines, columns);
  const all = candidates.length > 0 ? projected : columns.map((column) => column.name);
  return {
    tables: tables.map((table) => table.name),
    columns: [...new Set([...all, ...filters.columns])],
    predicates: filters.predicates,
    passes: walk.passes,
    looksUpValues: walk.hasJoin || filterLines.length > 0,
  };
}
