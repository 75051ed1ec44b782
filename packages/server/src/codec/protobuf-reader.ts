import { isUtf8 } from 'node:buffer';
import { ByteBuffer } from './byte-buffer.ts';
import { malformedBody } from './malformed-body.ts';

export const wireVarint = 0;
export const wireFixed64 = 1;
export const wireBytes = 2;
export const wireFixed32 = 5;

/** Above this the native check of a text beats the loop over its words. */
const wordCheckMaxBytes = 256;

/** What `ProtobufReader.tag` is for a field of a given wire type. */
export function tagOf(
  field: number,
  wire: typeof wireVarint | typeof wireFixed64 | typeof wireBytes | typeof wireFixed32,
): number {
  return field * 8 + wire;
}

/**
 * Reads protobuf messages in place (encoding spec: protobuf.dev/programming-guides/encoding). `next` reads one
 * field with its value, so fields that the caller does not know, or that have another wire type than it expects,
 * are skipped by not looking at them:
 *
 *     while (reader.next()) { if (reader.tag === nameTag) … reader.start, reader.end … }
 *
 * All reads are checked against the enclosing message; bytes that are no message, groups and messages nested
 * too deep throw `ingest_malformed_body` with the offset.
 */
export class ProtobufReader {
  readonly #scratch = new ByteBuffer(256);
  /** Position and limit of each enclosing message. */
  readonly #outer: Int32Array;
  readonly #doubleWords = new Uint32Array(2);
  readonly #double = new Float64Array(this.#doubleWords.buffer);
  #depth = 0;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #position = 0;
  #limit = 0;

  bytes: Uint8Array = this.#scratch.bytes;
  /** Number and wire type of the field, see `tagOf`. */
  tag = 0;
  /** Lower and upper 32 bits of a varint or fixed value, as signed integers. `high` of a fixed32 is 0. */
  low = 0;
  high = 0;
  /** Span of a length-delimited value. */
  start = 0;
  end = 0;
  /** The span as UTF-8, after `readText`. */
  text: Uint8Array = this.#scratch.bytes;
  textStart = 0;
  textEnd = 0;

  constructor(options: { readonly maxDepth?: number } = {}) {
    this.#outer = new Int32Array((options.maxDepth ?? 100) * 2);
  }

  get position(): number {
    return this.#position;
  }

  /** Starts on a message that is all of `body`. */
  open(body: Uint8Array): void {
    this.bytes = body;
    this.#view = new DataView(body.buffer, body.byteOffset, body.length);
    this.#position = 0;
    this.#limit = body.length;
    this.#depth = 0;
  }

  /** Goes into a message whose span was read before; `leave` returns to where the reader stood. */
  enter(start: number, end: number): void {
    const at = this.#depth * 2;
    if (at === this.#outer.length) {
      throw malformedBody(`messages are nested more than ${this.#depth} deep`, start);
    }
    this.#outer[at] = this.#position;
    this.#outer[at + 1] = this.#limit;
    this.#depth++;
    this.#position = start;
    this.#limit = end;
  }

  leave(): void {
    const at = --this.#depth * 2;
    this.#position = this.#outer[at]!;
    this.#limit = this.#outer[at + 1]!;
  }

  /** Reads the next field of the message; false at its end. */
  next(): boolean {
    if (this.#position === this.#limit) return false;
    const tagStart = this.#position;
    let tag = this.bytes[tagStart]!;
    if (tag < 0x80) {
      this.#position++;
    } else {
      this.#readVarint();
      tag = this.low >>> 0;
      if (this.high !== 0) throw malformedBody('field number out of range', tagStart);
    }
    if (tag < 8) throw malformedBody('field number out of range', tagStart);
    this.tag = tag;
    switch (tag & 7) {
      case wireBytes:
        this.#readSpan();
        return true;
      case wireVarint:
        this.#readVarint();
        return true;
      case wireFixed64:
        this.#readFixed(8);
        return true;
      case wireFixed32:
        this.#readFixed(4);
        return true;
      default:
        throw malformedBody('unsupported wire type', tagStart);
    }
  }

  /** The 64 bits last read, as a double. */
  double(): number {
    this.#doubleWords[0] = this.low;
    this.#doubleWords[1] = this.high;
    return this.#double[0]!;
  }

  /**
   * Puts the span last read into `text` as valid UTF-8. Senders cut long lines in the middle of a character, and
   * refusing their batch would lose it, so bytes that are no UTF-8 become U+FFFD. Such a text lasts until the
   * next call; any other is a span of the input (`isTextInput`).
   */
  readText(): void {
    this.readTextOf(this.start, this.end);
  }

  readTextOf(start: number, end: number): void {
    if (this.#isUtf8(start, end)) {
      this.text = this.bytes;
      this.textStart = start;
      this.textEnd = end;
      return;
    }
    const repaired = new TextEncoder().encode(
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.bytes.subarray(start, end)),
    );
    this.#scratch.clear();
    this.#scratch.append(repaired, 0, repaired.length);
    this.text = this.#scratch.bytes;
    this.textStart = 0;
    this.textEnd = this.#scratch.size;
  }

  get isTextInput(): boolean {
    return this.text === this.bytes;
  }

  #isUtf8(start: number, end: number): boolean {
    if (end - start < wordCheckMaxBytes) {
      const view = this.#view;
      const words = end - 3;
      let at = start;
      let bits = 0;
      for (; at < words; at += 4) bits |= view.getInt32(at);
      for (; at < end; at++) bits |= this.bytes[at]!;
      if ((bits & 0x80808080) === 0) return true;
    }
    return isUtf8(this.bytes.subarray(start, end));
  }

  #readSpan(): void {
    const lengthStart = this.#position;
    const first = lengthStart < this.#limit ? this.bytes[lengthStart]! : 0x80;
    let length = first;
    if (first < 0x80) {
      this.#position++;
    } else {
      this.#readVarint();
      length = this.low >>> 0;
    }
    const start = this.#position;
    if ((first >= 0x80 && this.high !== 0) || length > this.#limit - start) {
      throw malformedBody('a field is longer than its message', lengthStart);
    }
    this.start = start;
    this.end = start + length;
    this.#position = this.end;
  }

  #readFixed(size: 4 | 8): void {
    const at = this.#position;
    if (size > this.#limit - at) throw malformedBody('a message ends inside a number', at);
    this.low = this.#view.getInt32(at, true);
    this.high = size === 8 ? this.#view.getInt32(at + 4, true) : 0;
    this.#position = at + size;
  }

  /** Up to ten bytes of seven bits; bits beyond the 64th are dropped as all readers do. */
  #readVarint(): void {
    const { bytes } = this;
    const limit = this.#limit;
    const start = this.#position;
    let at = start;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (at >= limit) throw malformedBody('a message ends inside a number', start);
      const byte = bytes[at++]!;
      const bits = byte & 0x7f;
      if (shift < 28) {
        low |= bits << shift;
      } else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else if (shift < 63) {
        high |= bits << (shift - 32);
      } else {
        high |= (bits & 1) << 31;
      }
      if (byte < 0x80) {
        this.low = low;
        this.high = high;
        this.#position = at;
        return;
      }
    }
    throw malformedBody('a number has more than ten bytes', start);
  }
}
