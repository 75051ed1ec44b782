import { Bitmap } from './bitmap.ts';

/** Below this many bytes a loop beats the native copy's call overhead. */
const loopCopyMaxBytes = 40;

/** Arrow `utf8` column under construction: 32-bit offsets into one growing data buffer. */
export class Utf8Column {
  #rows = 0;
  #nulls = 0;
  #offsets = new Int32Array(1024);
  #data = new Uint8Array(16 * 1024);
  #size = 0;
  readonly #validity = new Bitmap();

  get rows(): number {
    return this.#rows;
  }

  get nulls(): number {
    return this.#nulls;
  }

  /** Bytes of all values. */
  get sizeBytes(): number {
    return this.#size;
  }

  /** The data buffer; spans of appended rows stay valid until the next append. */
  get data(): Uint8Array {
    return this.#data;
  }

  start(row: number): number {
    return this.#offsets[row]!;
  }

  end(row: number): number {
    return this.#offsets[row + 1]!;
  }

  isNull(row: number): boolean {
    return !this.#validity.isSet(row);
  }

  append(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    const at = this.#size;
    if (at + length > this.#data.length) this.#growData(at + length);
    const data = this.#data;
    if (length < loopCopyMaxBytes) {
      for (let from = start, to = at; from < end; from++, to++) data[to] = bytes[from]!;
    } else {
      data.set(bytes.subarray(start, end), at);
    }
    this.#size = at + length;
    this.#finishRow(true);
  }

  /** Appends bytes to the row appended last. */
  extendLast(bytes: Uint8Array, start: number, end: number): void {
    const at = this.#size;
    if (at + end - start > this.#data.length) this.#growData(at + end - start);
    this.#data.set(bytes.subarray(start, end), at);
    this.#size = at + end - start;
    this.#offsets[this.#rows] = this.#size;
  }

  /** Appends a copy of a span of this column's own data. */
  appendOwn(start: number, end: number): void {
    const at = this.#size;
    if (at + end - start > this.#data.length) this.#growData(at + end - start);
    this.#data.copyWithin(at, start, end);
    this.#size = at + end - start;
    this.#finishRow(true);
  }

  appendNull(): void {
    this.#finishRow(false);
    this.#nulls++;
  }

  /** Drops all rows from `rows` on. */
  truncate(rows: number): void {
    for (let row = rows; row < this.#rows && this.#nulls > 0; row++) {
      if (!this.#validity.isSet(row)) this.#nulls--;
    }
    this.#rows = rows;
    this.#size = this.#offsets[rows]!;
  }

  validityView(): Uint8Array {
    return this.#validity.view(this.#rows);
  }

  offsetsView(): Uint8Array {
    return new Uint8Array(this.#offsets.buffer, 0, (this.#rows + 1) * 4);
  }

  dataView(): Uint8Array {
    return this.#data.subarray(0, this.#size);
  }

  #finishRow(isPresent: boolean): void {
    const row = this.#rows++;
    if (row + 2 > this.#offsets.length) {
      const next = new Int32Array(this.#offsets.length * 2);
      next.set(this.#offsets);
      this.#offsets = next;
    }
    this.#offsets[row + 1] = this.#size;
    this.#validity.set(row, isPresent);
  }

  #growData(bytes: number): void {
    const next = new Uint8Array(Math.max(bytes, this.#data.length * 2));
    next.set(this.#data.subarray(0, this.#size));
    this.#data = next;
  }
}
