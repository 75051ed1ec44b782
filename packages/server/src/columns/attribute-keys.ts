import { equalBytes, hashBytes } from './byte-hash.ts';
import { KeySet } from './key-set.ts';
import type { SharedAttributes } from './shared-attributes.ts';
import type { Utf8Column } from './utf8-column.ts';

const encoder = new TextEncoder();
const isNeverEqual = (): boolean => false;

/** The attribute names of the event under construction, in the key column of the batch; no two are the same. */
export class AttributeKeys {
  readonly #column: Utf8Column;
  readonly #set = new KeySet();
  /** The block appended last, whose keys are not in `#set` yet: mostly nothing is looked up after it. */
  #pending: SharedAttributes | undefined;
  #pendingEntry = 0;
  #probeBytes: Uint8Array = new Uint8Array(0);
  #probeStart = 0;
  #probeEnd = 0;
  readonly #isProbeEqual = (entry: number): boolean => this.#equalsProbe(entry);

  constructor(column: Utf8Column) {
    this.#column = column;
  }

  /** Starts an event without attributes. */
  clear(): void {
    this.#set.clear();
    this.#pending = undefined;
  }

  /** Appends the key; false when the event has it already. */
  add(hash: number, key: Uint8Array, start: number, end: number): boolean {
    this.#claimPending();
    this.#probeBytes = key;
    this.#probeStart = start;
    this.#probeEnd = end;
    if (this.#set.findOrAdd(hash, this.#column.rows, this.#isProbeEqual) !== -1) return false;
    this.#column.append(key, start, end);
    return true;
  }

  /** Appends `resource.k`; when that is taken as well, `resource.<entry>.k`, which no other entry can have made. */
  addPrefixed(prefix: Uint8Array, key: Uint8Array, start: number, end: number): void {
    const entry = this.#column.rows;
    const name = new Uint8Array(prefix.length + end - start);
    name.set(prefix);
    name.set(key.subarray(start, end), prefix.length);
    let unique = name;
    for (let attempt = 0; attempt < 3; attempt++) {
      if (this.add(hashBytes(unique, 0, unique.length), unique, 0, unique.length)) return;
      const ordinal = encoder.encode(`${entry + attempt * 1_000_000}.`);
      unique = new Uint8Array(name.length + ordinal.length);
      unique.set(prefix);
      unique.set(ordinal, prefix.length);
      unique.set(key.subarray(start, end), prefix.length + ordinal.length);
    }
    this.#column.append(unique, 0, unique.length);
  }

  /** Whether all keys of the block are surely different from each other and from those of the event. */
  areNew(shared: SharedAttributes): boolean {
    this.#claimPending();
    if (!shared.hasDistinctKeys) return false;
    for (let index = 0; index < shared.count; index++) {
      if (this.#set.hasHash(shared.hash(index))) return false;
    }
    return true;
  }

  /** Appends all keys of a block that are new. */
  appendAll(shared: SharedAttributes): void {
    this.#claimPending();
    this.#pending = shared;
    this.#pendingEntry = this.#column.rows;
    this.#column.appendAll(shared.keys);
  }

  #claimPending(): void {
    const shared = this.#pending;
    if (shared === undefined) return;
    this.#pending = undefined;
    for (let index = 0; index < shared.count; index++) {
      this.#set.findOrAdd(shared.hash(index), this.#pendingEntry + index, isNeverEqual);
    }
  }

  #equalsProbe(entry: number): boolean {
    const column = this.#column;
    const start = column.start(entry);
    if (column.end(entry) - start !== this.#probeEnd - this.#probeStart) return false;
    return equalBytes(column.data, start, this.#probeBytes, {
      start: this.#probeStart,
      end: this.#probeEnd,
    });
  }
}
