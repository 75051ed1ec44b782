import type { FileBlock, StatColumns } from '../../lake/index.ts';
import type { ScanTest } from './scan-test.ts';

/** The engine reads this much of a file's end to find the footer; a longer footer it reads again as a whole. What a
 * file holds beside columns and footer is counted as footer. */
const footerGuessBytes = 16_384;
/** Chunks of one row group that lie closer together are read in one piece. */
const maxGapBytes = 16_384;
/** A scan that needs a larger share of a row group reads all of it. */
const wholeGroupShare = 0.95;
const wholeGroupExcess = 1 / wholeGroupShare - 1;
/** Where only a manifest is known. Writers make larger row groups than this, but for the last of a file. */
const assumedGroupRows = 30_720;

/** Adds up what one pass of a scan can read of files, from the sizes of their column chunks. */
export class ScanSum {
  dataBytes = 0;
  footerBytes = 0;
  rowGroups = 0;
  /** Of each leaf, in the order they were given. */
  readonly leafBytes: Float64Array;
  /** Ascending. */
  readonly #leaves: readonly number[];
  readonly #test: ScanTest;
  readonly #looksUpValues: boolean;
  readonly #mostGaps: number;

  constructor(
    leaves: readonly number[],
    options: { readonly test: ScanTest; readonly looksUpValues: boolean },
  ) {
    const { test, looksUpValues } = options;
    this.#looksUpValues = looksUpValues;
    this.#leaves = leaves;
    this.#test = test;
    this.#mostGaps = Math.max(0, leaves.length - 1) * maxGapBytes;
    this.leafBytes = new Float64Array(leaves.length);
  }

  addFile(block: FileBlock, slot: number): void {
    const footer = block.footerBytes[slot] ?? 0;
    const guess = Math.min(block.sizeBytes[slot] ?? 0, footerGuessBytes);
    this.footerBytes += guess + (footer > guess || this.#looksUpValues ? footer : 0);
    const start = block.groupStart(slot);
    const end = block.groupEnd[slot] ?? 0;
    if (start === end) this.#addWhole(block, slot);
    const isOrdered = block.isOrdered[slot] === 1;
    for (let group = start; group < end; group += 1) {
      if (this.#test.groupMayMatch(block, group)) this.#addGroup(block.groups, group, isOrdered);
    }
  }

  #addGroup(groups: StatColumns, group: number, isOrdered: boolean): void {
    this.rowGroups += 1;
    const needed = this.#addLeaves(groups, group);
    if (needed === 0) return;
    const total = groups.totalBytes[group] ?? 0;
    const isWhole = needed >= total * wholeGroupShare;
    const gaps = isOrdered ? this.#gaps(groups, group) : this.#mostGaps;
    this.dataBytes += isWhole ? total : Math.min(total, needed + gaps);
  }

  /** A file whose row groups are not known. Some of them may be read whole, others with gaps. */
  #addWhole(block: FileBlock, slot: number): void {
    const groups = Math.max(1, Math.ceil((block.files.rows[slot] ?? 0) / assumedGroupRows));
    this.rowGroups += groups;
    const needed = this.#addLeaves(block.files, slot);
    if (this.#leaves.length === 0) return;
    const most = needed * (1 + wholeGroupExcess) + groups * this.#mostGaps;
    const total = block.files.totalBytes[slot] ?? 0;
    this.dataBytes += Math.min(total, most) + (block.unknownBytes[slot] ?? 0);
  }

  #addLeaves({ leaves }: StatColumns, index: number): number {
    let needed = 0;
    for (let i = 0; i < this.#leaves.length; i += 1) {
      const bytes = leaves[this.#leaves[i] ?? 0]?.bytes[index] ?? 0;
      this.leafBytes[i] = (this.leafBytes[i] ?? 0) + bytes;
      needed += bytes;
    }
    return needed;
  }

  /** Chunks nobody asked for that are read because they lie between two that are. */
  #gaps({ leaves }: StatColumns, group: number): number {
    let gaps = 0;
    for (let i = 1; i < this.#leaves.length; i += 1) {
      const end = this.#leaves[i] ?? 0;
      let gap = 0;
      for (let leaf = (this.#leaves[i - 1] ?? 0) + 1; leaf < end; leaf += 1) {
        gap += leaves[leaf]?.bytes[group] ?? 0;
      }
      if (gap <= maxGapBytes) gaps += gap;
    }
    return gaps;
  }
}
