import { isUtf8 } from 'node:buffer';
import {
  appendCodePoint,
  type AttributeSink,
  ByteBuffer,
  hexDigit,
  malformedBody,
} from '../../codec/index.ts';

const backslash = 0x5c;
const backquote = 0x60;
const doubleQuote = 0x22;
const singleQuote = 0x27;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const comma = 0x2c;
const equals = 0x3d;
const replacement = 0xfffd;

/** What the byte after a backslash stands for in a quoted string of Go; 0 when it is not a simple escape. */
const simpleEscape = new Uint8Array(256);
for (const [from, to] of ['a\x07', 'b\b', 'f\f', 'n\n', 'r\r', 't\t', 'v\v', '\\\\', '""', "''"]) {
  if (from !== undefined && to !== undefined) simpleEscape[from.charCodeAt(0)] = to.charCodeAt(0);
}

/** 1 for the bytes that end a name which is not quoted. */
const endsName = new Uint8Array(256);
endsName.fill(1, 0, 0x21);
for (const byte of new TextEncoder().encode('{}=!~,"\'`')) endsName[byte] = 1;

/**
 * Reads the labels of a stream as text, `{app="shop", env="prod"}`: values quoted as in Go, names bare or quoted.
 * Spaces, a last comma and no labels at all are fine. Errors are `ingest_malformed_body` with the offset within the
 * text.
 */
export class LabelText {
  readonly #name = new ByteBuffer(64);
  readonly #value = new ByteBuffer(256);
  #bytes: Uint8Array = this.#value.bytes;
  #at = 0;
  #end = 0;
  #start = 0;
  // The span that was read last.
  #text: Uint8Array = this.#value.bytes;
  #textStart = 0;
  #textEnd = 0;

  /** The span must be valid UTF-8, and the texts passed on are. */
  read(bytes: Uint8Array, start: number, end: number, sink: AttributeSink): void {
    this.#bytes = bytes;
    this.#at = start;
    this.#start = start;
    this.#end = end;
    this.#expect(openBrace);
    while (this.#peek() !== closeBrace) {
      this.#readName();
      const name = this.#text;
      const nameStart = this.#textStart;
      const nameEnd = this.#textEnd;
      this.#expect(equals);
      if (!this.#readQuoted(this.#value)) throw this.#error('expected a quoted value');
      sink.attribute(name, nameStart, nameEnd, this.#text, this.#textStart, this.#textEnd);
      if (this.#peek() !== closeBrace) this.#expect(comma);
    }
    this.#at++;
    if (this.#peek() !== -1) throw this.#error('unexpected text after the labels');
  }

  #error(problem: string): Error {
    return malformedBody(`labels: ${problem}`, this.#at - this.#start);
  }

  /** The next byte that is not white space; -1 at the end. */
  #peek(): number {
    while (this.#at < this.#end && this.#bytes[this.#at]! <= 0x20) this.#at++;
    return this.#at < this.#end ? this.#bytes[this.#at]! : -1;
  }

  #expect(byte: number): void {
    if (this.#peek() !== byte) throw this.#error(`expected ${String.fromCharCode(byte)}`);
    this.#at++;
  }

  #readName(): void {
    this.#peek();
    if (this.#readQuoted(this.#name)) return;
    const nameStart = this.#at;
    while (this.#at < this.#end && endsName[this.#bytes[this.#at]!] === 0) this.#at++;
    if (this.#at === nameStart) throw this.#error('expected a name');
    this.#show(this.#bytes, nameStart, this.#at);
  }

  #show(text: Uint8Array, start: number, end: number): void {
    this.#text = text;
    this.#textStart = start;
    this.#textEnd = end;
  }

  /** False when no quote comes next. */
  #readQuoted(unescaped: ByteBuffer): boolean {
    const quote = this.#peek();
    if (quote !== doubleQuote && quote !== singleQuote && quote !== backquote) return false;
    const bytes = this.#bytes;
    const textStart = ++this.#at;
    const escape = quote === backquote ? -1 : backslash;
    for (; this.#at < this.#end; this.#at++) {
      const byte = bytes[this.#at]!;
      if (byte === quote) {
        this.#show(bytes, textStart, this.#at++);
        return true;
      }
      if (byte === escape) {
        this.#unescape(unescaped, textStart, quote);
        return true;
      }
    }
    throw this.#error('a quoted text has no end');
  }

  /** Goes on at the first backslash of a text. */
  #unescape(out: ByteBuffer, textStart: number, quote: number): void {
    const bytes = this.#bytes;
    out.clear();
    out.append(bytes, textStart, this.#at);
    while (this.#at < this.#end) {
      const byte = bytes[this.#at++]!;
      if (byte === quote) {
        this.#showUnescaped(out);
        return;
      }
      if (byte === backslash) {
        this.#readEscape(out);
      } else {
        out.byte(byte);
      }
    }
    throw this.#error('a quoted text has no end');
  }

  /** Escapes can name any bytes; those that are no UTF-8 become U+FFFD. */
  #showUnescaped(out: ByteBuffer): void {
    const text = out.bytes.subarray(0, out.size);
    if (!isUtf8(text)) {
      const repaired = new TextEncoder().encode(new TextDecoder().decode(text));
      out.clear();
      out.append(repaired, 0, repaired.length);
    }
    this.#show(out.bytes, 0, out.size);
  }

  #readEscape(out: ByteBuffer): void {
    const byte = this.#at < this.#end ? this.#bytes[this.#at]! : 0;
    const meaning = simpleEscape[byte]!;
    if (meaning !== 0) {
      this.#at++;
      out.byte(meaning);
    } else if (byte >= 0x30 && byte <= 0x37) {
      out.byte(this.#readDigits(3, 8) & 0xff);
    } else {
      const digits = byte === 0x78 ? 2 : byte === 0x75 ? 4 : byte === 0x55 ? 8 : 0;
      if (digits === 0) throw this.#error('unknown escape');
      this.#at++;
      const code = this.#readDigits(digits, 16);
      if (digits === 2) {
        out.byte(code);
      } else {
        const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        appendCodePoint(out, isCharacter ? code : replacement);
      }
    }
  }

  #readDigits(count: number, base: 8 | 16): number {
    let value = 0;
    for (let index = 0; index < count; index++) {
      const digit = this.#at < this.#end ? hexDigit(this.#bytes[this.#at]) : -1;
      if (digit === -1 || digit >= base) throw this.#error('expected a digit of an escape');
      value = value * base + digit;
      this.#at++;
    }
    return value;
  }
}
