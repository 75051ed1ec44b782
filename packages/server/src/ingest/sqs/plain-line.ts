import { parseTimestamp } from '../../codec/index.ts';
import type { RawEventBuilder } from '../../columns/index.ts';
import { LineSeverity, SeverityMemo } from '../event-field/index.ts';
import type { EntryReader } from './protocol.ts';

const openBracket = 0x5b;
const space = 0x20;
const dateBytes = 10;
const maxTimeBytes = 40;

/** A line of text; a time or a level at its front is taken from it. */
export class PlainLineReader implements EntryReader {
  readonly #builder: RawEventBuilder;
  readonly #severity = new LineSeverity(new SeverityMemo());
  readonly #time = { high: 0, low: 0 };

  constructor(builder: RawEventBuilder) {
    this.#builder = builder;
  }

  read(bytes: Uint8Array, start: number, end: number): void {
    const builder = this.#builder;
    builder.setBody(bytes, start, end);
    const timeStart = bytes[start] === openBracket ? start + 1 : start;
    const timeEnd = endOfTime(bytes, timeStart, end);
    if (timeEnd > timeStart && parseTimestamp(bytes, timeStart, timeEnd, this.#time)) {
      builder.setTime(this.#time.high, this.#time.low);
    }
    builder.setSeverity(this.#severity.severityOf(bytes, start, end));
  }
}

/** End of a date with an optional time behind `T` or a space; `start` when no date begins there. */
function endOfTime(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d) return start;
  const limit = Math.min(end, start + maxTimeBytes);
  let at = start;
  for (; at < limit; at++) {
    const byte = bytes[at]!;
    const isDateEnd = at - start === dateBytes && byte === space && isDigit(bytes[at + 1]);
    if (!isTimeByte(byte) && !isDateEnd) break;
  }
  return at;
}

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Digits, `-`, `:`, `.`, `,`, `+`, `T` and `Z`. */
function isTimeByte(byte: number): boolean {
  return (
    (byte >= 0x2b && byte <= 0x2e) ||
    (byte >= 0x30 && byte <= 0x3a) ||
    byte === 0x54 ||
    byte === 0x5a
  );
}
