import type { FileView } from '../../lake/index.ts';
import type { TableScan } from './explain.ts';
import { selectFiles, type FileSelection } from './file-selection.ts';
import { ScanSum } from './scan-sum.ts';
import { ScanTest } from './scan-test.ts';
import type { TimeSlice } from './time-slice.ts';

/** The most a query can read. It may overstate, never understate. */
export interface ScanBound {
  readonly bytes: number;
  readonly seconds: number;
  readonly files: number;
  readonly rowGroups: number;
  /** Largest first; footers and what is read between chunks are in `bytes` only. */
  readonly columns: readonly { readonly name: string; readonly bytes: number }[];
}

/** Measured or assumed speed of reading and processing compressed column data. */
export interface ScanSpeed {
  readonly bytesPerSecond: number;
  readonly secondsPerFile: number;
}

export interface TableScans {
  readonly table: string;
  readonly files: FileView;
}

export interface PrunedTable {
  readonly table: string;
  /** Files some scan of the table can match rows in. */
  readonly files: FileSelection;
}

export interface BoundedPlan {
  readonly bound: ScanBound;
  readonly tables: readonly PrunedTable[];
}

/** Decides per scan which files and row groups can hold a match, and adds up what reading them can cost. */
export async function boundPlan(
  scans: readonly TableScan[],
  tables: readonly TableScans[],
  options: { readonly speed: ScanSpeed; readonly slice: TimeSlice },
): Promise<BoundedPlan> {
  const { speed, slice } = options;
  const totals: Totals = { columnBytes: new Map(), bytes: 0, rowGroups: 0 };
  const pruned: PrunedTable[] = [];
  for (const { table, files: view } of tables) {
    const own = scans.filter((scan) => scan.tables.includes(table));
    const tests = own.map((scan) => new ScanTest(view.layout, scan.predicates));
    const files = await selectFiles(view, tests, slice);
    pruned.push({ table, files });
    // Every scan of a table goes over all files any of them needs.
    for (const [i, scan] of own.entries()) {
      const test = tests[i];
      if (test !== undefined) await addScan({ scan, test, view }, files, { totals, slice });
    }
  }
  const files = pruned.reduce((sum, table) => sum + table.files.count, 0);
  const seconds = totals.bytes / speed.bytesPerSecond + files * speed.secondsPerFile;
  const columns = [...totals.columnBytes].map(([name, bytes]) => ({ name, bytes }));
  columns.sort((a, b) => b.bytes - a.bytes);
  return {
    bound: { bytes: Math.ceil(totals.bytes), seconds, files, rowGroups: totals.rowGroups, columns },
    tables: pruned,
  };
}

interface Totals {
  readonly columnBytes: Map<string, number>;
  bytes: number;
  rowGroups: number;
}

interface ScanOfTable {
  readonly scan: TableScan;
  readonly test: ScanTest;
  readonly view: FileView;
}

async function addScan(
  { scan, test, view }: ScanOfTable,
  files: FileSelection,
  { totals, slice }: { readonly totals: Totals; readonly slice: TimeSlice },
): Promise<void> {
  const leaves = view.layout.leaves.filter(({ column }) => scan.columns.includes(column));
  const sum = new ScanSum(
    leaves.map(({ index }) => index),
    { test, looksUpValues: scan.looksUpValues },
  );
  for (const { block, slots } of files.parts) {
    if (slice.isOver) await slice.yield();
    for (const slot of slots) sum.addFile(block, slot);
  }
  totals.bytes += sum.dataBytes * scan.passes + sum.footerBytes;
  totals.rowGroups += sum.rowGroups;
  leaves.forEach(({ column }, i) => {
    const bytes = (sum.leafBytes[i] ?? 0) * scan.passes;
    totals.columnBytes.set(column, (totals.columnBytes.get(column) ?? 0) + bytes);
  });
}
