import { NodeError } from '../../base/errors.ts';

/** Below this many bytes a loop beats the native copy's call overhead. */
const loopCopyMaxBytes = 40;
/**
 * The most that one compressed byte can stand for: a copy of 64 bytes takes 3. A claim beyond it is refused before
 * anything is allocated.
 */
const maxRatio = 22;

export function brokenSnappy(problem: string): NodeError {
  return new NodeError('ingest_malformed_body', `the body is no snappy data: ${problem}`);
}

export interface BlockHead {
  readonly decodedBytes: number;
  /** Where the elements begin. */
  readonly start: number;
}

/** The head of a block: how long it says it is. @throws NodeError `ingest_malformed_body` */
export function readBlockHead(bytes: Uint8Array, start: number, end: number): BlockHead {
  let decodedBytes = 0;
  let scale = 1;
  for (let at = start; at < end && at < start + 5; at++) {
    const byte = bytes[at]!;
    decodedBytes += (byte & 0x7f) * scale;
    scale *= 0x80;
    if (byte >= 0x80) continue;
    if (decodedBytes > 0xffffffff || decodedBytes > (end - at - 1) * maxRatio) break;
    return { decodedBytes, start: at + 1 };
  }
  throw brokenSnappy('its length is missing or cannot be true');
}

/** A span of `out` that one block fills. */
export interface BlockOutput {
  readonly out: Uint8Array;
  readonly outStart: number;
  readonly outEnd: number;
}

/**
 * Decodes the elements of a block (google/snappy, format_description.txt) into the whole span, which no copy
 * reaches out of. @throws NodeError `ingest_malformed_body`
 */
export function decodeElements(
  bytes: Uint8Array,
  start: number,
  end: number,
  { out, outStart, outEnd }: BlockOutput,
): void {
  let at = start;
  let to = outStart;
  while (at < end) {
    const tag = bytes[at++]!;
    const kind = tag & 3;
    let length = (tag >>> 2) + 1;
    if (kind === 0) {
      if (length > 60) {
        const lengthBytes = length - 60;
        if (at + lengthBytes > end) throw brokenSnappy('it ends inside an element');
        length = littleEndian(bytes, at, lengthBytes) + 1;
        at += lengthBytes;
      }
      if (length > end - at) throw brokenSnappy('it ends inside an element');
      if (length > outEnd - to) throw brokenSnappy('it is longer than its length');
      copyLiteral(bytes, at, length, { out, to });
      at += length;
      to += length;
      continue;
    }
    const offsetBytes = kind === 3 ? 4 : kind;
    if (at + offsetBytes > end) throw brokenSnappy('it ends inside an element');
    let offset = littleEndian(bytes, at, offsetBytes);
    at += offsetBytes;
    if (kind === 1) {
      length = ((tag >>> 2) & 7) + 4;
      offset += (tag >>> 5) << 8;
    }
    if (offset === 0 || offset > to - outStart)
      throw brokenSnappy('a copy reaches before its start');
    if (length > outEnd - to) throw brokenSnappy('it is longer than its length');
    // Byte by byte: source and target may overlap, which repeats the bytes between them.
    for (const stop = to + length; to < stop; to++) out[to] = out[to - offset]!;
  }
  if (to !== outEnd) throw brokenSnappy('it is shorter than its length');
}

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = bytes[at]!;
  if (count > 1) value += bytes[at + 1]! << 8;
  if (count > 2) value += bytes[at + 2]! << 16;
  return count > 3 ? value + bytes[at + 3]! * 0x1000000 : value;
}

function copyLiteral(
  bytes: Uint8Array,
  start: number,
  length: number,
  { out, to }: { readonly out: Uint8Array; readonly to: number },
): void {
  if (length > loopCopyMaxBytes) {
    out.set(bytes.subarray(start, start + length), to);
  } else {
    for (let index = 0; index < length; index++) out[to + index] = bytes[start + index]!;
  }
}
