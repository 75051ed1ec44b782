import { NodeError } from '../../base/errors.ts';
import { canonicalInteger, type JsonInteger } from './json.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function corruptAvro(reason: string): NodeError {
  return new NodeError('storage_corrupt_table', 'a table metadata file is not valid Avro', {
    internal: { reason },
  });
}

/** Appends Avro primitives (Avro 1.11, "Binary encoding") to a growing buffer. */
export class AvroWriter {
  #buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Zig-zag varint. Takes both forms of an integer. */
  long(value: JsonInteger): void {
    if (typeof value === 'number' && value >= -0x4000_0000 && value < 0x4000_0000) {
      this.#varint32(((value << 1) ^ (value >> 31)) >>> 0);
      return;
    }
    const wide = BigInt(value);
    let rest = BigInt.asUintN(64, (wide << 1n) ^ (wide >> 63n));
    this.#reserve(10);
    while (rest > 0x7fn) {
      this.#buffer[this.#length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#buffer[this.#length++] = Number(rest);
  }

  boolean(value: boolean): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value ? 1 : 0;
  }

  string(value: string): void {
    this.bytes(Buffer.from(value, 'utf8'));
  }

  bytes(value: Uint8Array): void {
    this.long(value.byteLength);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.#reserve(value.byteLength);
    this.#buffer.set(value, this.#length);
    this.#length += value.byteLength;
  }

  /** A copy of everything written so far. */
  finish(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#buffer, 0, this.#length);
  }

  #varint32(value: number): void {
    this.#reserve(5);
    let rest = value;
    while (rest > 0x7f) {
      this.#buffer[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[this.#length++] = rest;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#buffer.byteLength) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.byteLength * 2, this.#length + count));
    grown.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = grown;
  }
}

/** Reads Avro primitives; anything that does not fit the bytes at hand throws `storage_corrupt_table`. */
export class AvroReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    // A Buffer's `slice` shares memory; a plain Uint8Array's copies, so that values do not pin whole files.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get offset(): number {
    return this.#offset;
  }

  get remaining(): number {
    return this.#bytes.byteLength - this.#offset;
  }

  slice(start: number, end: number): Uint8Array {
    return this.#bytes.slice(start, end);
  }

  long(): JsonInteger {
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (low >>> 1) ^ -(low & 1);
    }
    let wide = BigInt(low);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      wide |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        const bits = BigInt.asUintN(64, wide);
        return canonicalInteger(BigInt.asIntN(64, (bits >> 1n) ^ -(bits & 1n)));
      }
    }
    throw corruptAvro('integer longer than ten bytes');
  }

  /** A long that must fit a double exactly: counts, sizes, union branches. */
  count(): number {
    const value = this.long();
    if (typeof value === 'bigint') throw corruptAvro('count out of range');
    return value;
  }

  boolean(): boolean {
    return this.#byte() !== 0;
  }

  bytes(): Uint8Array {
    const length = this.count();
    return this.raw(length);
  }

  string(): string {
    try {
      return decoder.decode(this.bytes());
    } catch (error) {
      if (error instanceof NodeError) throw error;
      throw corruptAvro('string is not UTF-8');
    }
  }

  raw(length: number): Uint8Array {
    if (length < 0 || length > this.remaining) throw corruptAvro('ends too early');
    const value = this.#bytes.subarray(this.#offset, this.#offset + length);
    this.#offset += length;
    return value;
  }

  #byte(): number {
    const byte = this.#bytes[this.#offset];
    if (byte === undefined) throw corruptAvro('ends too early');
    this.#offset += 1;
    return byte;
  }
}
