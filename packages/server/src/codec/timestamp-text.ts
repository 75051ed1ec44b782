/** Nanoseconds since the epoch as 32-bit halves of an int64: `high` signed, `low` unsigned. Reused by its owner. */
export interface TimestampHalves {
  high: number;
  low: number;
}

const zero = 0x30;
const nine = 0x39;
const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const comma = 0x2c;
const colon = 0x3a;
const word = 0x1_0000_0000;
/** Seconds beyond the int64 range of nanoseconds; times there become the ends of the range. */
const maxSeconds = 9_223_372_036;

/**
 * Reads a point in time as log shippers write it into `into`: ISO 8601 (`2026-01-02T03:04:05.123456789Z`, any
 * part after the date optional, offset `Z`, `+01:00`, `+0100` or `+01`, none meaning UTC, a space for the `T`), or
 * a number since the epoch whose size tells its unit: below 10^11 seconds, below 10^14 milliseconds, below
 * 10^17 microseconds, else nanoseconds. Digits below the nanosecond are cut. False when it is neither.
 */
export function parseTimestamp(
  bytes: Uint8Array,
  start: number,
  end: number,
  into: TimestampHalves,
): boolean {
  const length = end - start;
  if (length >= 10 && bytes[start + 4] === minus && bytes[start + 7] === minus) {
    return parseIso(bytes, start, end, into);
  }
  return length > 0 && length <= 40 && parseEpoch(bytes, start, end, into);
}

/** Seconds (any sign) and nanoseconds within the second as halves; saturates. */
export function writeTimestamp(seconds: number, nanos: number, into: TimestampHalves): void {
  if (seconds >= maxSeconds || seconds < -maxSeconds) {
    into.high = seconds < 0 ? -0x8000_0000 : 0x7fff_ffff;
    into.low = seconds < 0 ? 0 : 0xffff_ffff;
    return;
  }
  // In steps of 16 bits every intermediate stays below 2^53.
  const upper = Math.floor(seconds / 0x10000);
  const lower = seconds - upper * 0x10000;
  const product = upper * 1e9;
  const productHigh = Math.floor(product / 0x10000);
  const rest = (product - productHigh * 0x10000) * 0x10000 + lower * 1e9 + nanos;
  const carry = Math.floor(rest / word);
  into.high = productHigh + carry;
  into.low = rest - carry * word;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - zero;
  const ones = bytes[at + 1]! - zero;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

const daysInMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Days from 1970-01-01; -Infinity when there is no such day. */
function daysOf(year: number, month: number, day: number): number {
  const last = month === 2 && !isLeapYear(year) ? 28 : (daysInMonth[month - 1] ?? 0);
  if (day < 1 || day > last) return -Infinity;
  // Years that begin in March put the leap day last.
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - 719_468;
}

function parseIso(bytes: Uint8Array, start: number, end: number, into: TimestampHalves): boolean {
  const century = twoDigits(bytes, start);
  const yearOfCentury = twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  if (century < 0 || yearOfCentury < 0) return false;
  const days = daysOf(century * 100 + yearOfCentury, month, day);
  if (days === -Infinity) return false;
  let at = start + 10;
  let seconds = days * 86_400;
  let nanos = 0;
  if (at < end) {
    const separator = bytes[at]! | 0x20;
    const hour = twoDigits(bytes, at + 1);
    const minute = twoDigits(bytes, at + 4);
    if ((separator !== 0x74 && separator !== 0x20) || bytes[at + 3] !== colon) return false;
    if (at + 6 > end || hour < 0 || hour > 23 || minute < 0 || minute > 59) return false;
    seconds += hour * 3600 + minute * 60;
    at += 6;
    if (at + 3 <= end && bytes[at] === colon) {
      const second = twoDigits(bytes, at + 1);
      // 60 is a leap second; it becomes the first second of the next minute.
      if (second < 0 || second > 60) return false;
      seconds += second;
      at += 3;
      if (at + 1 < end && (bytes[at] === point || bytes[at] === comma)) {
        let scale = 100_000_000;
        for (at++; at < end && bytes[at]! >= zero && bytes[at]! <= nine; at++) {
          nanos += (bytes[at]! - zero) * scale;
          scale = Math.floor(scale / 10);
        }
      }
    }
  }
  const offset = offsetSeconds(bytes, at, end);
  if (offset === Infinity) return false;
  writeTimestamp(seconds - offset, nanos, into);
  return true;
}

/** Seconds east of UTC; Infinity when the span is no offset. */
function offsetSeconds(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length === 0) return 0;
  const sign = bytes[start]!;
  if (length === 1) return (sign | 0x20) === 0x7a ? 0 : Infinity;
  if (sign !== plus && sign !== minus) return Infinity;
  const hasColon = length === 6 && bytes[start + 3] === colon;
  if (length !== 3 && length !== 5 && !hasColon) return Infinity;
  const hours = twoDigits(bytes, start + 1);
  const minutes = length === 3 ? 0 : twoDigits(bytes, end - 2);
  if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59) return Infinity;
  const seconds = hours * 3600 + minutes * 60;
  return sign === minus ? -seconds : seconds;
}

function parseEpoch(bytes: Uint8Array, start: number, end: number, into: TimestampHalves): boolean {
  const isNegative = bytes[start] === minus;
  let at = isNegative ? start + 1 : start;
  while (at < end - 1 && bytes[at] === zero && bytes[at + 1] !== point) at++;
  const first = at;
  while (at < end && bytes[at]! >= zero && bytes[at]! <= nine) at++;
  const digits = at - first;
  if (digits === 0) return false;
  const hasFraction = at < end && bytes[at] === point;
  const fraction = hasFraction ? at + 1 : at;
  at = fraction;
  while (at < end && bytes[at]! >= zero && bytes[at]! <= nine) at++;
  if (at < end || (hasFraction && at === fraction)) return parseExponent(bytes, start, end, into);
  // How many of the digits lie behind the second.
  const shift = digits <= 11 ? 0 : digits <= 14 ? 3 : digits <= 17 ? 6 : 9;
  let seconds = 0;
  let nanos = 0;
  let scale = 100_000_000;
  for (let index = 0, from = first; from < end && scale >= 1; from++) {
    if (bytes[from] === point) continue;
    const digit = bytes[from]! - zero;
    if (index++ < digits - shift) {
      seconds = seconds * 10 + digit;
    } else {
      nanos += digit * scale;
      scale = Math.floor(scale / 10);
    }
  }
  if (!isNegative) {
    writeTimestamp(seconds, nanos, into);
  } else if (nanos === 0) {
    writeTimestamp(-seconds, 0, into);
  } else {
    writeTimestamp(-seconds - 1, 1e9 - nanos, into);
  }
  return true;
}

/** `1.7e9` is rare; what a double keeps of it is enough. */
function parseExponent(
  bytes: Uint8Array,
  start: number,
  end: number,
  into: TimestampHalves,
): boolean {
  const text = String.fromCharCode(...bytes.subarray(start, end));
  if (!/^-?\d+(?:\.\d+)?[eE][+-]?\d+$/.test(text)) return false;
  const value = Number(text);
  const size = Math.abs(value);
  const unit = size < 1e11 ? 1 : size < 1e14 ? 1e3 : size < 1e17 ? 1e6 : 1e9;
  const seconds = Math.floor(value / unit);
  const nanos = Math.floor((value / unit - seconds) * 1e9);
  writeTimestamp(seconds, Number.isFinite(nanos) ? nanos : 0, into);
  return true;
}
