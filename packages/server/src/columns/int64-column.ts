import { Bitmap } from './bitmap.ts';

/** Arrow `int64` column under construction. Values come as 32-bit halves, so no BigInt is made per event. */
export class Int64Column {
  #rows = 0;
  #nulls = 0;
  #halves = new Int32Array(2048);
  readonly #validity = new Bitmap();

  get rows(): number {
    return this.#rows;
  }

  get sizeBytes(): number {
    return this.#rows * 8;
  }

  get nulls(): number {
    return this.#nulls;
  }

  /** `high` and `low` are taken modulo 2^32. */
  append(high: number, low: number): void {
    this.#reserve();
    const row = this.#rows++;
    this.#halves[row * 2] = low;
    this.#halves[row * 2 + 1] = high;
    if (this.#nulls > 0) this.#validity.set(row, true);
  }

  appendBigInt(value: bigint): void {
    this.append(Number((value >> 32n) & 0xffffffffn), Number(value & 0xffffffffn));
  }

  appendNull(): void {
    this.#reserve();
    if (this.#nulls++ === 0) this.#validity.setAll(this.#rows);
    this.#validity.set(this.#rows++, false);
  }

  truncate(rows: number): void {
    for (let row = rows; row < this.#rows && this.#nulls > 0; row++) {
      if (!this.#validity.isSet(row)) this.#nulls--;
    }
    this.#rows = rows;
  }

  validityView(): Uint8Array {
    return this.#validity.view(this.#rows);
  }

  valuesView(): Uint8Array {
    return new Uint8Array(this.#halves.buffer, 0, this.#rows * 8);
  }

  #reserve(): void {
    if ((this.#rows + 1) * 2 <= this.#halves.length) return;
    const next = new Int32Array(this.#halves.length * 2);
    next.set(this.#halves);
    this.#halves = next;
  }
}
