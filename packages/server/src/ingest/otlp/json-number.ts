import { type Int64Halves, type JsonCursor, malformedBody, parseInt64 } from '../../codec/index.ts';

const minus = 0x2d;
const zero = 0x30;
const decimal = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const digits = /^-?[0-9]+$/;
/** No 64-bit integer or double needs more; a longer text is not worth a big integer. */
const maxNumberBytes = 400;

function textOf(cursor: JsonCursor): string {
  const { text, textStart, textEnd } = cursor;
  if (textEnd - textStart > maxNumberBytes)
    throw malformedBody('a number is too long', cursor.position);
  return Buffer.from(text.buffer, text.byteOffset + textStart, textEnd - textStart).toString(
    'latin1',
  );
}

/** The cursor's text as a double: a number, or a string with a number, `NaN`, `Infinity` or `-Infinity`. */
export function doubleOf(cursor: JsonCursor): number {
  const text = textOf(cursor);
  if (text === 'NaN') return NaN;
  if (!decimal.test(text) && text !== 'Infinity' && text !== '-Infinity') {
    throw malformedBody('expected a number', cursor.position);
  }
  return Number(text);
}

/** Whether the cursor's text is an integer in its only canonical form, of any length. */
export function isCanonicalInteger(cursor: JsonCursor): boolean {
  const { text, textStart, textEnd } = cursor;
  const first = text[textStart] === minus ? textStart + 1 : textStart;
  if (first === textEnd || (text[first] === zero && textEnd > textStart + 1)) return false;
  for (let at = first; at < textEnd; at++) {
    const digit = text[at]! - zero;
    if (digit < 0 || digit > 9) return false;
  }
  return true;
}

/** Canonical text of an integer written in another way: `1e3`, `2.0`, `007`, `-0`. */
export function integerText(cursor: JsonCursor): string {
  const text = textOf(cursor);
  if (digits.test(text)) return String(BigInt(text));
  const value = decimal.test(text) ? Number(text) : NaN;
  if (!Number.isInteger(value)) throw malformedBody('expected an integer', cursor.position);
  return String(BigInt(value));
}

/** The cursor's text as a 64-bit integer: exact for decimal digits, by way of a double for `1.7e18`. */
export function readInt64(cursor: JsonCursor, into: Int64Halves): void {
  if (parseInt64(cursor.text, cursor.textStart, cursor.textEnd, into)) return;
  const text = textOf(cursor);
  const value = decimal.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(value)) throw malformedBody('expected an integer', cursor.position);
  const integer = Math.trunc(value);
  // A time beyond 64 bits is out of range on its own side.
  const saturated = Math.max(Math.min(integer, 2 ** 64 - 2 ** 11), -(2 ** 63));
  const exact = BigInt(saturated);
  into.high = Number(BigInt.asIntN(32, exact >> 32n));
  into.low = Number(BigInt.asIntN(32, exact));
}
