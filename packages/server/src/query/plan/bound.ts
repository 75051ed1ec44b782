import type { DataFileStats } from '../../lake/data-file.ts';
import type { PinnedFile } from '../table.ts';
import type { TableScan } from './explain.ts';
import { mayMatch, type Predicate } from './predicate.ts';

/** The most a query can read. It may overstate, never understate. */
export interface ScanBound {
  readonly bytes: number;
  readonly seconds: number;
  readonly files: number;
  readonly rowGroups: number;
  /** Largest first; the footers are in `bytes` only. */
  readonly columns: readonly { readonly name: string; readonly bytes: number }[];
}

/** Measured or assumed speed of reading and processing compressed column data. */
export interface ScanSpeed {
  readonly warmBytesPerSecond: number;
  readonly coldBytesPerSecond: number;
  readonly secondsPerFile: number;
}

export interface TableScans {
  readonly table: string;
  readonly files: readonly PinnedFile[];
}

export interface PrunedTable {
  readonly table: string;
  /** Files some scan of the table can match rows in. */
  readonly files: readonly PinnedFile[];
}

export interface BoundedPlan {
  readonly bound: ScanBound;
  readonly tables: readonly PrunedTable[];
}

/** Page headers and the last, partly filled buffer of each column chunk. */
const chunkSlackBytes = 64;
/** A file's footer is read when it is opened, and again by a thread that opens it at the same time. */
const footerReads = 2;

/** Decides per scan which files and row groups can hold a match, and adds up what reading them can cost. */
export function boundPlan(
  scans: readonly TableScan[],
  tables: readonly TableScans[],
  speed: ScanSpeed,
): BoundedPlan {
  const columnBytes = new Map<string, number>();
  const total = { warm: 0, cold: 0, rowGroups: 0 };
  const pruned = tables.map(({ table, files }) => {
    const own = scans.filter((scan) => scan.tables.includes(table));
    const needed = files.filter(({ stats }) => own.some((scan) => fileMayMatch(stats, scan.predicates)));
    return { table, files: needed };
  });
  for (const { table, files } of pruned) {
    // Every scan of a table goes over all files any of them needs.
    for (const scan of scans) {
      if (!scan.tables.includes(table)) continue;
      for (const file of files) addFile(file, scan, { columnBytes, total });
    }
  }
  const files = pruned.reduce((sum, { files: list }) => sum + list.length, 0);
  const seconds =
    total.warm / speed.warmBytesPerSecond +
    total.cold / speed.coldBytesPerSecond +
    files * speed.secondsPerFile;
  const columns = [...columnBytes].map(([name, bytes]) => ({ name, bytes }));
  columns.sort((a, b) => b.bytes - a.bytes);
  return {
    bound: { bytes: total.warm + total.cold, seconds, files, rowGroups: total.rowGroups, columns },
    tables: pruned,
  };
}

interface Totals {
  readonly columnBytes: Map<string, number>;
  readonly total: { warm: number; cold: number; rowGroups: number };
}

function addFile(file: PinnedFile, scan: TableScan, totals: Totals): void {
  const { stats } = file;
  const leaves = stats.columns.flatMap((column, index) => {
    const name = topLevel(column.path);
    return scan.columns.includes(name) ? [{ name, index, bytes: column.compressedBytes }] : [];
  });
  const groups = matchingRowGroups(stats, scan.predicates);
  let bytes = footerBytes(stats) * footerReads;
  for (const leaf of leaves) {
    const chunkBytes = groups === undefined ? leaf.bytes : sumChunks(stats, groups, leaf.index);
    const slack = chunkSlackBytes * (groups?.length ?? Math.max(1, stats.rowGroups.length));
    const cost = (chunkBytes + slack) * scan.passes;
    bytes += cost;
    totals.columnBytes.set(leaf.name, (totals.columnBytes.get(leaf.name) ?? 0) + cost);
  }
  totals.total[file.isCold === true ? 'cold' : 'warm'] += bytes;
  totals.total.rowGroups += groups?.length ?? Math.max(1, stats.rowGroups.length);
}

/** `attributes.key` belongs to the column `attributes`. */
const topLevel = (path: string): string => {
  const dot = path.indexOf('.');
  return dot === -1 ? path : path.slice(0, dot);
};

function footerBytes(stats: DataFileStats): number {
  const columns = stats.columns.reduce((sum, column) => sum + column.compressedBytes, 0);
  return Math.max(0, stats.sizeBytes - columns) + chunkSlackBytes;
}

/** Whether any row of the file can satisfy all predicates. */
export function fileMayMatch(stats: DataFileStats, predicates: readonly Predicate[]): boolean {
  if (stats.rows === 0) return false;
  return predicates.every((predicate) => {
    const column = stats.columns.find(({ path }) => path === predicate.column);
    // A column the file does not have is all null there, and null satisfies no predicate.
    if (column === undefined) return stats.columns.some(({ path }) => topLevel(path) === predicate.column);
    return mayMatch(predicate, column);
  });
}

/** Indexes of the row groups the engine cannot skip; undefined when the statistics do not tell. */
function matchingRowGroups(
  stats: DataFileStats,
  predicates: readonly Predicate[],
): readonly number[] | undefined {
  if (stats.rowGroups.some((group) => group.columns.length !== stats.columns.length)) return undefined;
  if (stats.rowGroups.length === 0) return undefined;
  const tests = predicates.flatMap((predicate) => {
    const index = stats.columns.findIndex(({ path }) => path === predicate.column);
    // Only integer comparisons: the engine is sure to skip by them, with strings it depends on the writer.
    return index === -1 || typeof firstConstant(predicate) !== 'bigint' ? [] : [{ index, predicate }];
  });
  return stats.rowGroups.flatMap((group, position) => {
    const isNeeded = tests.every(({ index, predicate }) => {
      const range = group.columns[index];
      // The engine skips by minimum and maximum, not by null counts.
      return range?.min === undefined || range.max === undefined || mayMatch(predicate, { ...range, values: 1, nulls: 0 });
    });
    return isNeeded ? [position] : [];
  });
}

const firstConstant = (predicate: Predicate): bigint | string | undefined =>
  predicate.op === 'in' ? predicate.values[0] : predicate.value;

function sumChunks(stats: DataFileStats, groups: readonly number[], column: number): number {
  let bytes = 0;
  for (const group of groups) bytes += stats.rowGroups[group]?.columns[column]?.compressedBytes ?? 0;
  return bytes;
}
