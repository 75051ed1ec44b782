import { Bitmap } from './bitmap.ts';
import { Utf8Column } from './utf8-column.ts';

/**
 * Arrow `map<utf8, utf8>` column under construction. Entries of the open row are appended to `keys` and
 * `values` in step; `finishRow` closes it. An empty map is a value, not a null.
 */
export class MapColumn {
  readonly keys = new Utf8Column();
  readonly values = new Utf8Column();
  #rows = 0;
  #nulls = 0;
  #offsets = new Int32Array(1024);
  readonly #validity = new Bitmap();

  get rows(): number {
    return this.#rows;
  }

  get sizeBytes(): number {
    return this.keys.sizeBytes + this.values.sizeBytes;
  }

  get nulls(): number {
    return this.#nulls;
  }

  /** First entry of a row; of the row under construction when `row` equals `rows`. */
  entryStart(row: number): number {
    return this.#offsets[row]!;
  }

  finishRow(): void {
    this.#close();
    if (this.#nulls > 0) this.#validity.set(this.#rows - 1, true);
  }

  appendNull(): void {
    this.#close();
    if (this.#nulls++ === 0) this.#validity.setAll(this.#rows);
    this.#validity.set(this.#rows - 1, false);
  }

  /** Drops all rows from `rows` on, and the entries of an unfinished one. */
  truncate(rows: number): void {
    for (let row = rows; row < this.#rows && this.#nulls > 0; row++) {
      if (!this.#validity.isSet(row)) this.#nulls--;
    }
    this.#rows = rows;
    this.keys.truncate(this.#offsets[rows]!);
    this.values.truncate(this.#offsets[rows]!);
  }

  validityView(): Uint8Array {
    return this.#validity.view(this.#rows);
  }

  offsetsView(): Uint8Array {
    return new Uint8Array(this.#offsets.buffer, 0, (this.#rows + 1) * 4);
  }

  #close(): void {
    const row = this.#rows++;
    if (row + 2 > this.#offsets.length) {
      const next = new Int32Array(this.#offsets.length * 2);
      next.set(this.#offsets);
      this.#offsets = next;
    }
    this.#offsets[row + 1] = this.keys.rows;
  }
}
