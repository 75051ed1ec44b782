import type { ByteBuffer } from './byte-buffer.ts';

const zero = 0x30;
const minus = 0x2d;
const billion = 1_000_000_000;

/** 64-bit integer as 32-bit halves; a plain object that its owner reuses. */
export interface Int64Halves {
  high: number;
  low: number;
}

function appendDigits(out: ByteBuffer, value: number, minDigits: number): void {
  let digits = 1;
  for (let bound = 10; bound <= value; bound *= 10) digits++;
  digits = Math.max(digits, minDigits);
  out.reserve(digits);
  let rest = value;
  for (let at = out.size + digits - 1; at >= out.size; at--) {
    const quotient = Math.floor(rest / 10);
    out.bytes[at] = zero + rest - quotient * 10;
    rest = quotient;
  }
  out.size += digits;
}

/** Exact decimal text of a signed 64-bit integer given as halves. */
export function appendInt64(out: ByteBuffer, high: number, low: number): void {
  let upper = high >>> 0;
  let lower = low >>> 0;
  if (high < 0) {
    out.byte(minus);
    lower = -low >>> 0;
    upper = (lower === 0 ? -high : ~high) >>> 0;
  }
  if (upper === 0) {
    appendDigits(out, lower, 1);
    return;
  }
  // Long division by 10^9 in steps of 16 bits keeps every intermediate below 2^53.
  const quotientHigh = Math.floor(upper / billion);
  const upperRest = (upper - quotientHigh * billion) * 0x10000 + (lower >>> 16);
  const quotientMiddle = Math.floor(upperRest / billion);
  const lowerRest = (upperRest - quotientMiddle * billion) * 0x10000 + (lower & 0xffff);
  const quotientLow = Math.floor(lowerRest / billion);
  const quotient = quotientHigh * 0x100000000 + quotientMiddle * 0x10000 + quotientLow;
  const remainder = lowerRest - quotientLow * billion;
  if (quotient > 0) appendDigits(out, quotient, 1);
  appendDigits(out, remainder, quotient > 0 ? 9 : 1);
}

/** The shortest decimal text that reads back as the same double, as ECMAScript writes it. */
export function appendDouble(out: ByteBuffer, value: number): void {
  if (value >= 0 && value <= 0xffffffff && Math.floor(value) === value) {
    appendDigits(out, value, 1);
  } else {
    out.ascii(String(value));
  }
}

/**
 * Whether the text is what `appendDouble` would write for it: at most 15 digits, which a double keeps
 * exactly, no exponent, no trailing zero behind the point. False only costs the way over a double.
 */
export function isShortestDecimal(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start] === minus ? start + 1 : start;
  if (first === end || end - first > 16) return false;
  let point = -1;
  for (let at = first; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === 0x2e && point === -1) {
      point = at;
    } else if (byte < zero || byte > 0x39) {
      return false;
    }
  }
  const isBelowOne = bytes[first] === zero;
  if (point === -1) return isBelowOne ? end === start + 1 : end - first <= 15;
  if (point === first || (isBelowOne && point !== first + 1)) return false;
  // Below 10^-6 the shortest text has an exponent: at most five zeros may follow `0.`.
  if (isBelowOne && end > point + 6 && isZeros(bytes, point + 1, point + 7)) return false;
  return bytes[end - 1] !== zero && end - 1 !== point;
}

function isZeros(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] !== zero) return false;
  return true;
}

/**
 * Reads `-?[0-9]+` into `into` as a 64-bit integer, negative ones in two's complement. False when the span is
 * anything else or does not fit in 64 bits.
 */
export function parseInt64(
  bytes: Uint8Array,
  start: number,
  end: number,
  into: Int64Halves,
): boolean {
  const isNegative = bytes[start] === minus;
  let at = isNegative ? start + 1 : start;
  if (at >= end) return false;
  let upper = 0;
  let lower = 0;
  while (at < end) {
    // Six digits at a time: 2^32 · 10^6 is below 2^53.
    let scale = 1;
    let chunk = 0;
    for (const stop = Math.min(at + 6, end); at < stop; at++) {
      const digit = bytes[at]! - zero;
      if (digit < 0 || digit > 9) return false;
      chunk = chunk * 10 + digit;
      scale *= 10;
    }
    const product = lower * scale + chunk;
    lower = product >>> 0;
    upper = upper * scale + (product - lower) / 0x100000000;
    if (upper > 0xffffffff) return false;
  }
  if (isNegative) {
    if (upper > 0x80000000 || (upper === 0x80000000 && lower !== 0)) return false;
    into.low = -lower | 0;
    into.high = (lower === 0 ? -upper : ~upper) | 0;
  } else {
    into.low = lower | 0;
    into.high = upper | 0;
  }
  return true;
}
