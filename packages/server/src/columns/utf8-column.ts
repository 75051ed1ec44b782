import { Bitmap } from './bitmap.ts';

/** Below this many bytes a loop beats the native copy's call overhead. */
const loopCopyMaxBytes = 36;

const defaultCapacity = { rows: 1023, bytes: 16 * 1024 };

/** Arrow `utf8` column under construction: 32-bit offsets into one growing data buffer. */
export class Utf8Column {
  #rows = 0;
  #nulls = 0;
  #offsets: Int32Array;
  #data: Uint8Array;
  #size = 0;
  /** Kept for columns that are appended to many others as they are. */
  #view: Uint8Array | undefined;
  readonly #validity = new Bitmap();

  /** What there is room for before the buffers grow. */
  constructor(capacity: { readonly rows: number; readonly bytes: number } = defaultCapacity) {
    this.#offsets = new Int32Array(capacity.rows + 1);
    this.#data = new Uint8Array(capacity.bytes);
  }

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
    return this.#nulls > 0 && !this.#validity.isSet(row);
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
    this.#finishRow();
  }

  /** Appends all rows of another column. */
  appendAll(source: Utf8Column): void {
    const at = this.#size;
    const bytes = source.#size;
    const rows = this.#rows + source.#rows;
    if (at + bytes > this.#data.length) this.#growData(at + bytes);
    if (rows >= this.#offsets.length) this.#growOffsets(rows + 1);
    this.#data.set(source.dataView(), at);
    this.#size = at + bytes;
    if (source.#nulls > 0 || this.#nulls > 0) this.#copyValidity(source);
    const offsets = this.#offsets;
    const sourceOffsets = source.#offsets;
    for (let from = 1, to = this.#rows + 1; to <= rows; from++, to++) {
      offsets[to] = at + sourceOffsets[from]!;
    }
    this.#rows = rows;
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
    this.#finishRow();
  }

  appendNull(): void {
    this.#finishRow();
    if (this.#nulls++ === 0) this.#validity.setAll(this.#rows);
    this.#validity.set(this.#rows - 1, false);
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

  /** A view: valid until the next append. */
  dataView(): Uint8Array {
    if (this.#view?.length !== this.#size) this.#view = this.#data.subarray(0, this.#size);
    return this.#view;
  }

  #finishRow(): void {
    const row = ++this.#rows;
    if (row >= this.#offsets.length) this.#growOffsets(row + 1);
    this.#offsets[row] = this.#size;
    if (this.#nulls > 0) this.#validity.set(row - 1, true);
  }

  #copyValidity(source: Utf8Column): void {
    if (this.#nulls === 0) this.#validity.setAll(this.#rows);
    for (let row = 0; row < source.#rows; row++) {
      this.#validity.set(this.#rows + row, !source.isNull(row));
    }
    this.#nulls += source.#nulls;
  }

  #growOffsets(length: number): void {
    const next = new Int32Array(Math.max(length, this.#offsets.length * 2));
    next.set(this.#offsets);
    this.#offsets = next;
  }

  #growData(bytes: number): void {
    const next = new Uint8Array(Math.max(bytes, this.#data.length * 2));
    next.set(this.#data.subarray(0, this.#size));
    this.#data = next;
    this.#view = undefined;
  }
}
