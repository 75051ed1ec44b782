/** Bytes under construction, with offsets that stay valid. */
export class ByteWriter {
  #bytes = Buffer.alloc(512);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  take(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  text(value: string): this {
    this.#reserve(value.length * 3);
    this.#length += this.#bytes.write(value, this.#length, 'utf8');
    return this;
  }

  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** Room to be stamped later; returns where it begins. */
  gap(length: number, fill = 0x30): number {
    this.#reserve(length);
    const start = this.#length;
    this.#bytes.fill(fill, start, start + length);
    this.#length += length;
    return start;
  }

  varint(value: number): this {
    this.#reserve(5);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
    return this;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#length + count));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
