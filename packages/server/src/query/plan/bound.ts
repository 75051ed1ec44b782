import type { DataFileStats } from '../../lake/index.ts';
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

/**
 * The engine reads the start of each page twice: once for its header, of unknown length, then from the header's
 * end. Statistics do not count pages, so this takes more than writers make: they end a page after 20,000 rows or
 * 1 MiB before compression.
 */
const pageHeaderReadBytes = 256;
const pageSlack = (values: number, bytes: number): number =>
  pageHeaderReadBytes * (2 + Math.ceil(values / 16_384) + Math.ceil(bytes / 32_768));

/** Length and magic at both ends of a file. */
const fileMarkBytes = 64;
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
    const needed = files.filter(({ stats }) =>
      own.some((scan) => fileMayMatch(stats, scan.predicates)),
    );
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
  const groups = matchingRowGroups(stats, scan.predicates);
  let bytes = footerBytes(stats) * footerReads;
  stats.columns.forEach((column, index) => {
    const name = topLevel(column.path);
    if (!scan.columns.includes(name)) return;
    const chunks = groups?.map((group) => stats.rowGroups[group]?.columns[index]) ?? [column];
    let cost = 0;
    for (const chunk of chunks) {
      const { compressedBytes, values } = chunk ?? column;
      cost += (compressedBytes + pageSlack(values, compressedBytes)) * scan.passes;
    }
    bytes += cost;
    totals.columnBytes.set(name, (totals.columnBytes.get(name) ?? 0) + cost);
  });
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
  return Math.max(0, stats.sizeBytes - columns) + fileMarkBytes;
}

/** Whether any row of the file can satisfy all predicates. */
export function fileMayMatch(stats: DataFileStats, predicates: readonly Predicate[]): boolean {
  if (stats.rows === 0) return false;
  return predicates.every((predicate) => {
    const column = stats.columns.find(({ path }) => path === predicate.column);
    // A column the file does not have is all null there, and null satisfies no predicate.
    if (column === undefined)
      return stats.columns.some(({ path }) => topLevel(path) === predicate.column);
    return mayMatch(predicate, column);
  });
}

/** Indexes of the row groups the engine cannot skip; undefined when the statistics do not tell. */
function matchingRowGroups(
  stats: DataFileStats,
  predicates: readonly Predicate[],
): readonly number[] | undefined {
  if (stats.rowGroups.some((group) => group.columns.length !== stats.columns.length))
    return undefined;
  if (stats.rowGroups.length === 0) return undefined;
  const tests = predicates.flatMap((predicate) => {
    const index = stats.columns.findIndex(({ path }) => path === predicate.column);
    // Only integer comparisons: the engine is sure to skip by them, with strings it depends on the writer.
    return index === -1 || typeof firstConstant(predicate) !== 'bigint'
      ? []
      : [{ index, predicate }];
  });
  return stats.rowGroups.flatMap((group, position) => {
    const isNeeded = tests.every(({ index, predicate }) => {
      const range = group.columns[index];
      // The engine skips by minimum and maximum, not by null counts.
      return (
        range?.min === undefined ||
        range.max === undefined ||
        mayMatch(predicate, { ...range, values: 1, nulls: 0 })
      );
    });
    return isNeeded ? [position] : [];
  });
}

const firstConstant = (predicate: Predicate): bigint | string | undefined =>
  predicate.op === 'in' ? predicate.values[0] : predicate.value;
