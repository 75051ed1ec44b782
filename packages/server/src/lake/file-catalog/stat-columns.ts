import type { ColumnStats } from '../data-file.ts';
import type { Leaf, LeafLayout } from './leaf-layout.ts';

/** What is known of a leaf in one entry, as bits of `LeafStats.facts`. */
export const leafFacts = {
  /** The leaf is there, or may be; without this bit every value is null. */
  present: 1,
  hasMin: 2,
  hasMax: 4,
  allNull: 8,
  noNulls: 16,
} as const;

type LeafFigures = Omit<ColumnStats, 'path' | 'fieldId'>;

/** Statistics of one leaf over many entries, one array for each figure. */
export class LeafStats {
  bytes = new Float64Array(0);
  facts = new Uint8Array(0);
  /** Integer leaves only. */
  min = new BigInt64Array(0);
  max = new BigInt64Array(0);
  /** Text leaves only, where texts are kept at all. */
  readonly minText: (string | undefined)[] = [];
  readonly maxText: (string | undefined)[] = [];
  readonly #isInteger: boolean;
  readonly #keepsTexts: boolean;

  constructor(leaf: Leaf, options: { readonly keepsTexts: boolean }) {
    this.#isInteger = leaf.isInteger;
    this.#keepsTexts = options.keepsTexts && !leaf.isInteger;
  }

  grow(capacity: number): void {
    this.bytes = grown(this.bytes, new Float64Array(capacity));
    this.facts = grown(this.facts, new Uint8Array(capacity));
    if (!this.#isInteger) return;
    this.min = grown(this.min, new BigInt64Array(capacity));
    this.max = grown(this.max, new BigInt64Array(capacity));
  }

  set(index: number, figures: LeafFigures): void {
    const { compressedBytes, values, nulls, min, max } = figures;
    let facts: number = leafFacts.present;
    if (values > 0 && nulls !== undefined && nulls >= values) facts |= leafFacts.allNull;
    if (nulls === 0) facts |= leafFacts.noNulls;
    if (this.#isInteger) {
      if (typeof min === 'bigint') facts |= leafFacts.hasMin;
      if (typeof max === 'bigint') facts |= leafFacts.hasMax;
      this.min[index] = typeof min === 'bigint' ? min : 0n;
      this.max[index] = typeof max === 'bigint' ? max : 0n;
    } else if (this.#keepsTexts) {
      if (typeof min === 'string') facts |= leafFacts.hasMin;
      if (typeof max === 'string') facts |= leafFacts.hasMax;
      this.minText[index] = typeof min === 'string' ? min : undefined;
      this.maxText[index] = typeof max === 'string' ? max : undefined;
    }
    this.bytes[index] = compressedBytes;
    this.facts[index] = facts;
  }

  /** For a file whose columns are not all known: it may hold anything. */
  setUnknown(index: number): void {
    this.bytes[index] = 0;
    this.facts[index] = leafFacts.present;
    this.minText[index] = undefined;
    this.maxText[index] = undefined;
  }

  copy(index: number, from: LeafStats, fromIndex: number): void {
    this.bytes[index] = from.bytes[fromIndex] ?? 0;
    this.facts[index] = from.facts[fromIndex] ?? 0;
    if (this.#isInteger) {
      this.min[index] = from.min[fromIndex] ?? 0n;
      this.max[index] = from.max[fromIndex] ?? 0n;
    } else if (this.#keepsTexts) {
      this.minText[index] = from.minText[fromIndex];
      this.maxText[index] = from.maxText[fromIndex];
    }
  }

  has(index: number, facts: number): boolean {
    return ((this.facts[index] ?? 0) & facts) === facts;
  }
}

/** Statistics of many files, or of many row groups: a row for each, a column for each leaf. */
export class StatColumns {
  rows = new Float64Array(0);
  /** Compressed bytes of all column chunks, physical-only ones included. */
  totalBytes = new Float64Array(0);
  readonly leaves: readonly LeafStats[];
  #capacity = 0;
  #length = 0;

  constructor(layout: LeafLayout, options: { readonly keepsTexts: boolean }) {
    this.leaves = layout.leaves.map((leaf) => new LeafStats(leaf, options));
  }

  get length(): number {
    return this.#length;
  }

  /** Index of a new row, with every leaf absent. */
  append(rows: number, totalBytes: number): number {
    const index = this.#length;
    if (index === this.#capacity) this.#grow(Math.max(64, this.#capacity * 2));
    this.#length += 1;
    this.rows[index] = rows;
    this.totalBytes[index] = totalBytes;
    return index;
  }

  appendCopy(from: StatColumns, fromIndex: number): number {
    const index = this.append(from.rows[fromIndex] ?? 0, from.totalBytes[fromIndex] ?? 0);
    for (const [i, leaf] of this.leaves.entries()) {
      const source = from.leaves[i];
      if (source !== undefined) leaf.copy(index, source, fromIndex);
    }
    return index;
  }

  #grow(capacity: number): void {
    this.#capacity = capacity;
    this.rows = grown(this.rows, new Float64Array(capacity));
    this.totalBytes = grown(this.totalBytes, new Float64Array(capacity));
    for (const leaf of this.leaves) leaf.grow(capacity);
  }
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
