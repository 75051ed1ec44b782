/**
 * Arrow validity bitmap of a column; bit set = value present. A column without nulls has none: it starts keeping the
 * bitmap at its first null with `setAll`.
 */
export class Bitmap {
  #bits = new Uint8Array(128);

  set(row: number, isPresent: boolean): void {
    const index = row >> 3;
    if (index >= this.#bits.length) this.#grow(index + 1);
    const mask = 1 << (row & 7);
    if (isPresent) this.#bits[index]! |= mask;
    else this.#bits[index]! &= ~mask;
  }

  /** The first `rows` rows have values. */
  setAll(rows: number): void {
    const bytes = (rows + 7) >> 3;
    if (bytes > this.#bits.length) this.#grow(bytes);
    this.#bits.fill(0xff, 0, bytes);
  }

  isSet(row: number): boolean {
    return ((this.#bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;
  }

  /** The bitmap of the first `rows` rows, bits beyond them cleared. A view: valid until the next append. */
  view(rows: number): Uint8Array {
    const bytes = (rows + 7) >> 3;
    if (bytes > this.#bits.length) this.#grow(bytes);
    if ((rows & 7) !== 0) this.#bits[bytes - 1]! &= (1 << (rows & 7)) - 1;
    return this.#bits.subarray(0, bytes);
  }

  #grow(bytes: number): void {
    const next = new Uint8Array(Math.max(bytes, this.#bits.length * 2));
    next.set(this.#bits);
    this.#bits = next;
  }
}
