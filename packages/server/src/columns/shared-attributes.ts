import { hashBytes } from './byte-hash.ts';

const fields = 5;

/** Key-value pairs copied once and appended to many events, with their hashes computed once. */
export class SharedAttributes {
  #bytes: Uint8Array = new Uint8Array(1024);
  #size = 0;
  /** Per entry: key start, key end, value end, hash, is null. */
  #entries = new Uint32Array(16 * fields);
  #count = 0;

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  get count(): number {
    return this.#count;
  }

  clear(): void {
    this.#size = 0;
    this.#count = 0;
  }

  /** Keeps the first `count` entries. */
  truncate(count: number): void {
    if (count >= this.#count) return;
    this.#size = this.#entries[count * fields]!;
    this.#count = count;
  }

  add(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    const keyLength = keyEnd - keyStart;
    const start = this.#size;
    this.#reserve(keyLength + valueEnd - valueStart);
    this.#bytes.set(key.subarray(keyStart, keyEnd), start);
    this.#bytes.set(value.subarray(valueStart, valueEnd), start + keyLength);
    this.#size = start + keyLength + valueEnd - valueStart;
    this.#addEntry(start, start + keyLength, false);
  }

  addNull(key: Uint8Array, keyStart: number, keyEnd: number): void {
    const start = this.#size;
    this.#reserve(keyEnd - keyStart);
    this.#bytes.set(key.subarray(keyStart, keyEnd), start);
    this.#size = start + keyEnd - keyStart;
    this.#addEntry(start, this.#size, true);
  }

  keyStart(index: number): number {
    return this.#entries[index * fields]!;
  }

  /** End of the key and start of the value. */
  keyEnd(index: number): number {
    return this.#entries[index * fields + 1]!;
  }

  valueEnd(index: number): number {
    return this.#entries[index * fields + 2]!;
  }

  hash(index: number): number {
    return this.#entries[index * fields + 3]!;
  }

  isNull(index: number): boolean {
    return this.#entries[index * fields + 4] === 1;
  }

  #addEntry(start: number, keyEnd: number, isNull: boolean): void {
    const at = this.#count++ * fields;
    if (at + fields > this.#entries.length) {
      const next = new Uint32Array(this.#entries.length * 2);
      next.set(this.#entries);
      this.#entries = next;
    }
    this.#entries[at] = start;
    this.#entries[at + 1] = keyEnd;
    this.#entries[at + 2] = this.#size;
    this.#entries[at + 3] = hashBytes(this.#bytes, start, keyEnd);
    this.#entries[at + 4] = isNull ? 1 : 0;
  }

  #reserve(bytes: number): void {
    if (this.#size + bytes <= this.#bytes.length) return;
    const next = new Uint8Array(Math.max(this.#size + bytes, this.#bytes.length * 2));
    next.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = next;
  }
}
