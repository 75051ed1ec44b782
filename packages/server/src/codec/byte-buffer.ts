/** Below this many bytes a loop beats the native copy's call overhead. */
const loopCopyMaxBytes = 40;

/** A growing buffer that a decoder keeps across events, so that a steady load allocates nothing. */
export class ByteBuffer {
  bytes: Uint8Array;
  size = 0;

  constructor(initialBytes = 1024) {
    this.bytes = new Uint8Array(initialBytes);
  }

  clear(): void {
    this.size = 0;
  }

  byte(value: number): void {
    if (this.size === this.bytes.length) this.reserve(1);
    this.bytes[this.size++] = value;
  }

  append(source: Uint8Array, start: number, end: number): void {
    const length = end - start;
    this.reserve(length);
    const { bytes } = this;
    let to = this.size;
    if (length < loopCopyMaxBytes) {
      for (let from = start; from < end; from++) bytes[to++] = source[from]!;
    } else {
      bytes.set(source.subarray(start, end), to);
    }
    this.size += length;
  }

  /** `text` holds ASCII only. */
  ascii(text: string): void {
    this.reserve(text.length);
    for (let index = 0; index < text.length; index++) {
      this.bytes[this.size++] = text.charCodeAt(index);
    }
  }

  /** Makes room for `length` more bytes. */
  reserve(length: number): void {
    if (this.size + length <= this.bytes.length) return;
    const next = new Uint8Array(Math.max(this.size + length, this.bytes.length * 2));
    next.set(this.bytes.subarray(0, this.size));
    this.bytes = next;
  }
}
