import type { DataFileStats } from '../data-file.ts';
import { lowerBound, upperBound } from '../iceberg/metrics.ts';
import type { LeafLayout } from './leaf-layout.ts';
import { StatColumns } from './stat-columns.ts';

export const blockFiles = 512;
/** Longer bounds are cut: a table of many files must not keep a copy of its longest events. */
const maxTextLength = 64;

/**
 * Some files of a table, as columns: one array for each figure, so that looking at all of them touches no
 * objects. Rows are only ever appended; a file that leaves is marked with the version it left at.
 */
export class FileBlock {
  readonly paths: string[] = [];
  /** Versions of the catalog between which the file is in the table. */
  readonly addedAt = new Float64Array(blockFiles);
  readonly removedAt = new Float64Array(blockFiles);
  readonly sizeBytes = new Float64Array(blockFiles);
  /** What is not column data as far as is known. */
  readonly footerBytes = new Float64Array(blockFiles);
  /** Column data that is not told apart by leaf. */
  readonly unknownBytes = new Float64Array(blockFiles);
  /** 1 where the chunks of a row group lie in the order of the layout, physical-only ones last. */
  readonly isOrdered = new Uint8Array(blockFiles);
  /** Row groups of file `i` are `groupEnd[i - 1]` to `groupEnd[i]`; none when only a manifest is known. */
  readonly groupEnd = new Uint32Array(blockFiles);
  readonly files: StatColumns;
  readonly groups: StatColumns;
  readonly layout: LeafLayout;
  live = 0;

  constructor(layout: LeafLayout) {
    this.layout = layout;
    this.files = new StatColumns(layout, { keepsTexts: true });
    this.groups = new StatColumns(layout, { keepsTexts: false });
  }

  get length(): number {
    return this.files.length;
  }

  get isFull(): boolean {
    return this.files.length === blockFiles;
  }

  groupStart(slot: number): number {
    return slot === 0 ? 0 : (this.groupEnd[slot - 1] ?? 0);
  }

  isVisible(slot: number, version: number): boolean {
    return (this.addedAt[slot] ?? 0) <= version && version < (this.removedAt[slot] ?? 0);
  }

  append(path: string, stats: DataFileStats, version: number): number {
    const columnBytes = stats.columns.reduce((sum, column) => sum + column.compressedBytes, 0);
    const slot = this.files.append(stats.rows, columnBytes);
    this.#enter(slot, path, version);
    const leaves = stats.columns.map((column) => this.layout.ofStats(column));
    const order = leaves.map((leaf) => leaf?.index ?? Infinity);
    this.isOrdered[slot] = order.every((index, i) => i === 0 || index >= (order[i - 1] ?? 0))
      ? 1
      : 0;
    const hasFooter = stats.rowGroups.length > 0 || stats.rows === 0;
    if (!hasFooter) for (const leaf of this.files.leaves) leaf.setUnknown(slot);
    stats.columns.forEach((column, i) => {
      const leaf = leaves[i];
      if (leaf === undefined) return;
      const { min, max } = column;
      this.files.leaves[leaf.index]?.set(slot, {
        compressedBytes: column.compressedBytes,
        values: column.values,
        ...(column.nulls === undefined ? {} : { nulls: column.nulls }),
        ...bounded('min', min, lowerBound),
        ...bounded('max', max, upperBound),
      });
    });
    const otherBytes = Math.max(0, stats.sizeBytes - columnBytes);
    const known = new Set(leaves.map((leaf) => leaf?.index));
    const isWhole = hasFooter || this.layout.leaves.every(({ index }) => known.has(index));
    this.sizeBytes[slot] = stats.sizeBytes;
    this.footerBytes[slot] = otherBytes;
    this.unknownBytes[slot] = isWhole ? 0 : otherBytes;
    this.#appendGroups(
      stats,
      leaves.map((leaf) => leaf?.index),
    );
    this.groupEnd[slot] = this.groups.length;
    return slot;
  }

  /** Takes a file over from another block. */
  appendFrom(block: FileBlock, from: number, version: number): number {
    const slot = this.files.appendCopy(block.files, from);
    this.#enter(slot, block.paths[from] ?? '', version);
    for (const name of ['sizeBytes', 'footerBytes', 'unknownBytes', 'isOrdered'] as const) {
      this[name][slot] = block[name][from] ?? 0;
    }
    const end = block.groupEnd[from] ?? 0;
    for (let group = block.groupStart(from); group < end; group += 1) {
      this.groups.appendCopy(block.groups, group);
    }
    this.groupEnd[slot] = this.groups.length;
    return slot;
  }

  remove(slot: number, version: number): void {
    this.removedAt[slot] = version;
    this.live -= 1;
  }

  #enter(slot: number, path: string, version: number): void {
    this.paths[slot] = path;
    this.addedAt[slot] = version;
    this.removedAt[slot] = Infinity;
    this.live += 1;
  }

  #appendGroups(stats: DataFileStats, leaves: readonly (number | undefined)[]): void {
    if (stats.rowGroups.some((group) => group.columns.length !== stats.columns.length)) return;
    for (const { rows, columns } of stats.rowGroups) {
      const total = columns.reduce((sum, chunk) => sum + chunk.compressedBytes, 0);
      const group = this.groups.append(rows, total);
      columns.forEach((chunk, i) => {
        const leaf = leaves[i];
        if (leaf !== undefined) this.groups.leaves[leaf]?.set(group, chunk);
      });
    }
  }
}

function bounded(
  name: 'min' | 'max',
  value: bigint | string | undefined,
  cut: (value: string) => string | undefined,
): { min?: bigint | string; max?: bigint | string } {
  const isLong = typeof value === 'string' && value.length > maxTextLength;
  const bound = isLong ? cut(value) : value;
  return bound === undefined ? {} : { [name]: bound };
}
