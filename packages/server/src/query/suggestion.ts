import { leafFacts } from '../lake/index.ts';
import type { NarrowEdits, PlannedSql } from './engine/protocol.ts';
import { boundPlan, type ScanBound, type TableScans } from './plan/bound.ts';
import type { TableScan } from './plan/explain.ts';

/** A narrower variant of a refused query that would run. */
export interface Suggestion {
  readonly description: string;
  readonly sql: string;
  readonly bound_bytes: number;
  readonly bound_seconds: number;
}

export interface SuggestionSource {
  /** The statement with the edits, or undefined when it has no place for them. */
  readonly narrow: (edits: NarrowEdits) => Promise<string | undefined>;
  readonly plan: (sql: string) => Promise<PlannedSql>;
  readonly passes: (bound: ScanBound) => boolean;
  readonly tables: readonly TableScans[];
  /** Time column of each table. */
  readonly timeColumns: Readonly<Record<string, string>>;
  readonly bounding: Parameters<typeof boundPlan>[2];
}

const hourNs = 3_600_000_000_000n;
const windows: readonly (readonly [label: string, lengthNs: bigint])[] = [
  ['30 days', 720n * hourNs],
  ['7 days', 168n * hourNs],
  ['1 day', 24n * hourNs],
  ['6 hours', 6n * hourNs],
  ['1 hour', hourNs],
  ['15 minutes', hourNs / 4n],
  ['1 minute', hourNs / 60n],
];

/** Up to three variants, each planned and bounded like any query, so what is suggested really passes. */
export async function suggestNarrower(
  plan: PlannedSql,
  source: SuggestionSource,
): Promise<Suggestion[]> {
  const heavy = await heavyColumns(plan, source);
  const from = await latestWindow(plan, source);
  const candidates: { description: string; edits: Omit<NarrowEdits, 'timeColumns'> }[] = [];
  if (from !== undefined) {
    candidates.push({ description: `the latest ${from.label}`, edits: { fromNs: from.fromNs } });
  }
  for (const without of [heavy.slice(0, 1), heavy.slice(0, 2)].filter((list) => list.length > 0)) {
    candidates.push({ description: `without ${without.join(' and ')}`, edits: { without } });
  }
  const found: Suggestion[] = [];
  for (const { description, edits } of candidates) {
    const suggestion = await verify(
      description,
      { ...edits, timeColumns: source.timeColumns },
      source,
    );
    if (suggestion !== undefined && !found.some(({ sql }) => sql === suggestion.sql))
      found.push(suggestion);
  }
  return found;
}

async function verify(
  description: string,
  edits: NarrowEdits,
  source: SuggestionSource,
): Promise<Suggestion | undefined> {
  const sql = await source.narrow(edits);
  if (sql === undefined) return undefined;
  try {
    const plan = await source.plan(sql);
    const { bound } = await boundPlan(plan.scans, source.tables, source.bounding);
    if (!source.passes(bound)) return undefined;
    return { description, sql, bound_bytes: bound.bytes, bound_seconds: bound.seconds };
  } catch {
    return undefined; // the edit does not fit this statement, say because it names a column that was left out
  }
}

/** The longest window before the newest event whose bound passes, as far as the present scans tell. */
async function latestWindow(
  plan: PlannedSql,
  source: SuggestionSource,
): Promise<{ readonly label: string; readonly fromNs: string } | undefined> {
  const newest = newestTime(source);
  if (newest === undefined) return undefined;
  for (const [label, lengthNs] of windows) {
    const fromNs = newest - lengthNs;
    const scans = plan.scans.map((scan) => startingAt(scan, fromNs, source.timeColumns));
    const { bound } = await boundPlan(scans, source.tables, source.bounding);
    if (source.passes(bound)) return { label, fromNs: String(fromNs) };
  }
  return undefined;
}

function newestTime({ tables, timeColumns }: SuggestionSource): bigint | undefined {
  let newest: bigint | undefined;
  for (const { table, files: view } of tables) {
    const leaf = view.layout.ofColumn(timeColumns[table] ?? '')[0];
    if (leaf === undefined) continue;
    for (const block of view.blocks) {
      const times = block.files.leaves[leaf.index];
      for (let slot = 0; slot < block.length; slot += 1) {
        if (times?.has(slot, leafFacts.hasMax) !== true) continue;
        const max = times.max[slot];
        if (max === undefined || !block.isVisible(slot, view.version)) continue;
        if (newest === undefined || max > newest) newest = max;
      }
    }
  }
  return newest;
}

function startingAt(
  scan: TableScan,
  fromNs: bigint,
  timeColumns: Readonly<Record<string, string>>,
): TableScan {
  const column = timeColumns[scan.tables[0] ?? ''];
  if (column === undefined) return scan;
  const columns = scan.columns.includes(column) ? scan.columns : [...scan.columns, column];
  return {
    ...scan,
    columns,
    predicates: [...scan.predicates, { column, op: '>=', value: fromNs }],
  };
}

async function heavyColumns(plan: PlannedSql, source: SuggestionSource): Promise<string[]> {
  const { bound } = await boundPlan(plan.scans, source.tables, source.bounding);
  const times = new Set(Object.values(source.timeColumns));
  return bound.columns.map(({ name }) => name).filter((name) => !times.has(name));
}
