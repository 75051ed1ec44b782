import { ByteBuffer } from './byte-buffer.ts';
import { hexDigit } from './hex-digit.ts';
import { backslash, kindOfByte, quote, simpleEscape, stopsRun } from './json-bytes.ts';
import {
  jsonArray,
  jsonEnd,
  jsonFalse,
  type JsonKind,
  jsonNull,
  jsonNumber,
  jsonObject,
  jsonString,
  jsonTrue,
} from './json-kind.ts';
import { appendWithoutSpace } from './json-text.ts';
import { malformedBody } from './malformed-body.ts';
import { appendCodePoint, requireUtf8 } from './utf8.ts';

/**
 * A strict pull parser (RFC 8259) over bytes that creates no object per value. The caller drives it:
 *
 *     cursor.enterObject();
 *     while (cursor.nextKey()) { …the key is in text…; …read or skip exactly one value… }
 *
 * `text[textStart, textEnd)` holds the last key, string, number or literal read: a span of the input, or of a
 * scratch buffer when the string has escapes; it lasts until the next read. Strings are always valid UTF-8: the
 * body is checked as a whole by `open`, and a lone surrogate escape becomes U+FFFD. Duplicate keys are passed on.
 * Everything that is not JSON throws `ingest_malformed_body` with the byte offset.
 */
export class JsonCursor {
  readonly #maxDepth: number;
  readonly #scratch = new ByteBuffer(4096);
  #bytes: Uint8Array = this.#scratch.bytes;
  #end = 0;
  #depth = 0;
  #isFirst = false;
  #sawSpace = false;

  /** Where the next read begins. */
  position = 0;
  text: Uint8Array = this.#scratch.bytes;
  textStart = 0;
  textEnd = 0;

  constructor(options: { readonly maxDepth?: number } = {}) {
    this.#maxDepth = options.maxDepth ?? 128;
  }

  /** Whether `text` is a span of the body, which stays as it is; else the next read overwrites it. */
  get isTextInput(): boolean {
    return this.text === this.#bytes;
  }

  /** Starts on a body. Checks that all of it is UTF-8; a byte order mark at its start is skipped. */
  open(body: Uint8Array): void {
    requireUtf8(body);
    this.openUnchecked(body);
  }

  /** Like `open` for a body of which the caller checks that the spans it visits are UTF-8. */
  openUnchecked(body: Uint8Array): void {
    this.#bytes = body;
    const hasMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
    this.seek(hasMark ? 3 : 0, body.length);
  }

  /** Goes to a span of the opened body, for example one line. Nothing beyond `end` is read as JSON. */
  seek(start: number, end: number): void {
    this.position = start;
    this.#end = end;
    this.#depth = 0;
    this.#isFirst = false;
  }

  /**
   * Goes back (or forth) to a value passed earlier in the same container, or to the place to go on from
   * afterwards. Depth is kept.
   */
  revisit(position: number): void {
    this.position = position;
    this.#isFirst = false;
  }

  /** Kind of the next value; skips white space before it. */
  peek(): JsonKind {
    this.#skipSpace();
    if (this.position >= this.#end) return jsonEnd;
    const kind = kindOfByte[this.#bytes[this.position]!]! as JsonKind;
    if (kind === jsonEnd) throw this.#error('unexpected character');
    return kind;
  }

  /** Throws unless nothing but white space is left. */
  expectEnd(): void {
    this.#skipSpace();
    if (this.position < this.#end) throw this.#error('unexpected character after the value');
  }

  enterObject(): void {
    this.#enter(0x7b, 'expected an object');
  }

  /** Moves to the next member and puts its key in `text`; false when the object is closed. */
  nextKey(): boolean {
    if (!this.#next(0x7d)) return false;
    if (this.#byte() !== quote) throw this.#error('expected a member name');
    this.#scanString();
    this.#skipSpace();
    if (this.#byte() !== 0x3a) throw this.#error('expected a colon');
    this.position++;
    return true;
  }

  enterArray(): void {
    this.#enter(0x5b, 'expected an array');
  }

  /** Moves to the next element; false when the array is closed. */
  nextElement(): boolean {
    return this.#next(0x5d);
  }

  /** Reads a value that is neither object nor array into `text` and tells its kind. */
  readScalar(): JsonKind {
    if (this.#byte() === quote) {
      this.#scanString();
      return jsonString;
    }
    const kind = this.peek();
    switch (kind) {
      case jsonString:
        this.#scanString();
        return kind;
      case jsonNumber:
        this.#scanNumber();
        return kind;
      case jsonTrue:
        return this.#scanLiteral('true', kind);
      case jsonFalse:
        return this.#scanLiteral('false', kind);
      case jsonNull:
        return this.#scanLiteral('null', kind);
      default:
        throw this.#error('expected a string, number or literal');
    }
  }

  /** Checks and passes one value of any kind. */
  skip(): void {
    const kind = this.peek();
    if (kind === jsonObject) {
      this.enterObject();
      while (this.nextKey()) this.skip();
    } else if (kind === jsonArray) {
      this.enterArray();
      while (this.nextElement()) this.skip();
    } else {
      this.readScalar();
    }
  }

  /**
   * Reads one value of any kind into `text` as the JSON text it came as, without the white space between its
   * tokens. Numbers keep every digit and strings their escapes.
   */
  readCompact(): JsonKind {
    const kind = this.peek();
    const start = this.position;
    this.#sawSpace = false;
    this.skip();
    if (this.#sawSpace) {
      this.#scratch.clear();
      appendWithoutSpace(this.#scratch, this.#bytes, start, this.position);
      this.#show(this.#scratch.bytes, 0, this.#scratch.size);
    } else {
      this.#show(this.#bytes, start, this.position);
    }
    return kind;
  }

  /** Makes `text` empty, for a key that is missing. */
  clearText(): void {
    this.#show(this.#scratch.bytes, 0, 0);
  }

  /**
   * Passes exactly these bytes when they come next. With `passPlainText` a decoder can take a frequent shape in
   * one go; when a later part of it does not match it returns with `revisit` and reads it member by member.
   */
  passExact(expected: Uint8Array): boolean {
    const bytes = this.#bytes;
    const start = this.position;
    const { length } = expected;
    if (start + length > this.#end) return false;
    for (let at = 0; at < length; at++) if (bytes[start + at] !== expected[at]) return false;
    this.position = start + length;
    return true;
  }

  /** Inside a string: reads the rest of it into `text` when it has no escapes, and passes its closing quote. */
  passPlainText(): boolean {
    const bytes = this.#bytes;
    const start = this.position;
    let at = start;
    while (stopsRun[bytes[at]!] === 0) at++;
    if (at >= this.#end || bytes[at] !== quote) return false;
    this.position = at + 1;
    this.#show(bytes, start, at);
    return true;
  }

  #byte(): number {
    return this.position < this.#end ? this.#bytes[this.position]! : -1;
  }

  #error(problem: string): Error {
    const isCut = this.position >= this.#end;
    return malformedBody(isCut ? 'the JSON text ends too early' : problem, this.position);
  }

  #show(bytes: Uint8Array, start: number, end: number): void {
    this.text = bytes;
    this.textStart = start;
    this.textEnd = end;
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    if (bytes[this.position]! > 0x20) return;
    let at = this.position;
    while (at < this.#end) {
      const byte = bytes[at]!;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
      at++;
    }
    if (at > this.position) this.#sawSpace = true;
    this.position = at;
  }

  #enter(open: number, problem: string): void {
    this.#skipSpace();
    if (this.#byte() !== open) throw this.#error(problem);
    if (++this.#depth > this.#maxDepth) {
      throw this.#error(`values are nested more than ${this.#maxDepth} deep`);
    }
    this.position++;
    this.#isFirst = true;
  }

  /** True at the next member, false behind the closing byte. */
  #next(close: number): boolean {
    this.#skipSpace();
    const byte = this.#byte();
    if (byte === 0x2c && !this.#isFirst) {
      this.position++;
      this.#skipSpace();
      if (this.#byte() === close) throw this.#error('unexpected comma');
      return true;
    }
    if (byte === close) {
      this.position++;
      this.#depth--;
      this.#isFirst = false;
      return false;
    }
    if (this.#isFirst) {
      this.#isFirst = false;
      return true;
    }
    throw this.#error('expected a comma or the end of the container');
  }

  #scanString(): void {
    const bytes = this.#bytes;
    const start = this.position + 1;
    let at = start;
    // Behind the last byte the lookup is undefined, which ends the run too.
    while (stopsRun[bytes[at]!] === 0) at++;
    this.position = at;
    const byte = this.#byte();
    if (byte === quote) {
      this.position = at + 1;
      this.#show(bytes, start, at);
    } else if (byte === backslash) {
      this.#scanEscapedString(start);
    } else {
      throw this.#error('control character in a string');
    }
  }

  /** `position` is at the first backslash. */
  #scanEscapedString(start: number): void {
    const bytes = this.#bytes;
    const scratch = this.#scratch;
    scratch.clear();
    scratch.append(bytes, start, this.position);
    for (;;) {
      const runStart = this.position;
      let at = runStart;
      while (stopsRun[bytes[at]!] === 0) at++;
      this.position = Math.min(at, this.#end);
      scratch.append(bytes, runStart, this.position);
      const byte = this.#byte();
      if (byte === quote) break;
      if (byte !== backslash) throw this.#error('control character in a string');
      this.position++;
      this.#scanEscape();
    }
    this.position++;
    this.#show(scratch.bytes, 0, scratch.size);
  }

  /** `position` is behind the backslash. */
  #scanEscape(): void {
    const byte = this.#byte();
    if (byte === 0x75) {
      this.position++;
      appendCodePoint(this.#scratch, this.#scanCodePoint());
      return;
    }
    const meaning = byte === -1 ? 0 : simpleEscape[byte]!;
    if (meaning === 0) throw this.#error('unknown escape');
    this.position++;
    this.#scratch.byte(meaning);
  }

  #scanCodePoint(): number {
    const unit = this.#scanUnit();
    if (unit < 0xd800 || unit > 0xdfff) return unit;
    const bytes = this.#bytes;
    const isHigh = unit < 0xdc00;
    if (!isHigh || bytes[this.position] !== backslash || bytes[this.position + 1] !== 0x75) {
      return 0xfffd;
    }
    const behindHigh = this.position;
    this.position += 2;
    const low = this.#scanUnit();
    if (low >= 0xdc00 && low <= 0xdfff) return 0x10000 + ((unit - 0xd800) << 10) + low - 0xdc00;
    // The second escape is a character of its own and is read again as one.
    this.position = behindHigh;
    return 0xfffd;
  }

  /** Four hexadecimal digits. */
  #scanUnit(): number {
    let unit = 0;
    for (let index = 0; index < 4; index++) {
      const digit = this.position < this.#end ? hexDigit(this.#bytes[this.position]) : -1;
      if (digit === -1) throw this.#error('expected four hexadecimal digits');
      unit = (unit << 4) | digit;
      this.position++;
    }
    return unit;
  }

  #scanNumber(): void {
    const start = this.position;
    if (this.#byte() === 0x2d) this.position++;
    if (this.#byte() === 0x30) {
      this.position++;
    } else {
      this.#scanDigits();
    }
    if (this.#byte() === 0x2e) {
      this.position++;
      this.#scanDigits();
    }
    if ((this.#byte() | 0x20) === 0x65) {
      this.position++;
      const sign = this.#byte();
      if (sign === 0x2b || sign === 0x2d) this.position++;
      this.#scanDigits();
    }
    this.#show(this.#bytes, start, this.position);
  }

  #scanDigits(): void {
    const start = this.position;
    for (;;) {
      const byte = this.#byte();
      if (byte < 0x30 || byte > 0x39) break;
      this.position++;
    }
    if (this.position === start) throw this.#error('expected a digit');
  }

  #scanLiteral(word: string, kind: JsonKind): JsonKind {
    const start = this.position;
    for (let index = 0; index < word.length; index++) {
      if (this.#byte() !== word.charCodeAt(index)) throw this.#error(`expected ${word}`);
      this.position++;
    }
    this.#show(this.#bytes, start, this.position);
    return kind;
  }
}
