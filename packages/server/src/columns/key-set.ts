/**
 * Set of small integers by hash, emptied in O(1): finds the entry of an event that already has a given key.
 * Slots carry the generation they were written in, so starting an event costs one increment.
 */
export class KeySet {
  #slots: Int32Array;
  #generations: Uint32Array;
  #hashes: Uint32Array;
  #generation = 1;
  #mask: number;
  #size = 0;

  constructor(capacity = 256) {
    this.#slots = new Int32Array(capacity);
    this.#generations = new Uint32Array(capacity);
    this.#hashes = new Uint32Array(capacity);
    this.#mask = capacity - 1;
  }

  clear(): void {
    this.#size = 0;
    this.#generation = (this.#generation + 1) >>> 0;
    if (this.#generation === 0) {
      this.#generations.fill(0);
      this.#generation = 1;
    }
  }

  /**
   * Returns the stored value with this hash for which `isEqual` holds, or stores `value` and returns -1.
   */
  findOrAdd(hash: number, value: number, isEqual: (stored: number) => boolean): number {
    if ((this.#size + 1) * 2 > this.#slots.length) this.#grow();
    let slot = hash & this.#mask;
    while (this.#generations[slot] === this.#generation) {
      if (this.#hashes[slot] === hash && isEqual(this.#slots[slot]!)) return this.#slots[slot]!;
      slot = (slot + 1) & this.#mask;
    }
    this.#generations[slot] = this.#generation;
    this.#hashes[slot] = hash;
    this.#slots[slot] = value;
    this.#size++;
    return -1;
  }

  /** Whether a value with this hash is in the set; a key may still be another one. */
  hasHash(hash: number): boolean {
    let slot = hash & this.#mask;
    while (this.#generations[slot] === this.#generation) {
      if (this.#hashes[slot] === hash) return true;
      slot = (slot + 1) & this.#mask;
    }
    return false;
  }

  #grow(): void {
    const next = new KeySet(this.#slots.length * 2);
    for (let slot = 0; slot < this.#slots.length; slot++) {
      if (this.#generations[slot] !== this.#generation) continue;
      next.findOrAdd(this.#hashes[slot]!, this.#slots[slot]!, () => false);
    }
    this.#slots = next.#slots;
    this.#generations = next.#generations;
    this.#hashes = next.#hashes;
    this.#generation = next.#generation;
    this.#mask = next.#mask;
  }
}
