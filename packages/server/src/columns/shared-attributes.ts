import { hashBytes } from './byte-hash.ts';
import type { DimensionMapping } from './dimension-mapping.ts';
import { KeySet } from './key-set.ts';
import { Utf8Column } from './utf8-column.ts';

const isEqualHash = (): boolean => true;

/** An entry that feeds a dimension. */
export interface SharedDimension {
  readonly index: number;
  readonly dimension: number;
  /** 0 is the most wanted. */
  readonly rank: number;
}

/** Key-value pairs copied once and appended to many events, with their hashes computed once. */
export class SharedAttributes {
  readonly keys = new Utf8Column({ rows: 16, bytes: 512 });
  readonly values = new Utf8Column({ rows: 16, bytes: 512 });
  #hashes = new Uint32Array(16);
  readonly #seen = new KeySet(32);
  #hasRepeatedHash = false;
  #dimensions: readonly SharedDimension[] | undefined;
  #mapping: DimensionMapping | undefined;

  get count(): number {
    return this.keys.rows;
  }

  /** Whether no two keys are the same. False at times when they are not: it goes by their hashes. */
  get hasDistinctKeys(): boolean {
    return !this.#hasRepeatedHash;
  }

  clear(): void {
    this.truncate(0);
    this.#seen.clear();
    this.#hasRepeatedHash = false;
  }

  /** Keeps the first `count` entries. */
  truncate(count: number): void {
    if (count >= this.count) return;
    this.keys.truncate(count);
    this.values.truncate(count);
    this.#dimensions = undefined;
  }

  add(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    this.#addKey(key, keyStart, keyEnd);
    this.values.append(value, valueStart, valueEnd);
  }

  addNull(key: Uint8Array, keyStart: number, keyEnd: number): void {
    this.#addKey(key, keyStart, keyEnd);
    this.values.appendNull();
  }

  hash(index: number): number {
    return this.#hashes[index]!;
  }

  /** The entries with a value that feed a dimension. */
  dimensions(mapping: DimensionMapping): readonly SharedDimension[] {
    if (this.#dimensions === undefined || this.#mapping !== mapping) {
      this.#dimensions = this.#findDimensions(mapping);
      this.#mapping = mapping;
    }
    return this.#dimensions;
  }

  #addKey(key: Uint8Array, start: number, end: number): void {
    const index = this.count;
    if (index === this.#hashes.length) {
      const next = new Uint32Array(index * 2);
      next.set(this.#hashes);
      this.#hashes = next;
    }
    const hash = hashBytes(key, start, end);
    this.#hashes[index] = hash;
    if (this.#seen.findOrAdd(hash, index, isEqualHash) !== -1) this.#hasRepeatedHash = true;
    this.keys.append(key, start, end);
    this.#dimensions = undefined;
  }

  #findDimensions(mapping: DimensionMapping): readonly SharedDimension[] {
    const { keys, values } = this;
    const found: SharedDimension[] = [];
    for (let index = 0; index < this.count; index++) {
      // Neither null nor empty.
      if (values.start(index) === values.end(index)) continue;
      const source = mapping.find(this.hash(index), keys.data, keys.start(index), keys.end(index));
      if (source === undefined) continue;
      found.push({ index, dimension: source.dimension, rank: source.rank });
    }
    return found;
  }
}
