import { NodeError } from '../../base/errors.ts';

/** Below this many bytes a loop beats the native copy's call overhead. */
const loopCopyMaxBytes = 40;
const minMatchBytes = 4;

export function brokenLz4(problem: string): NodeError {
  return new NodeError('ingest_malformed_body', `the body is no lz4 data: ${problem}`);
}

/** Where a block is decoded to. Matches reach back to `windowStart`; nothing is written from `outEnd` on. */
export interface BlockOutput {
  readonly out: Uint8Array;
  readonly outStart: number;
  readonly outEnd: number;
  readonly windowStart: number;
}

/** The output has no room for the block. */
export const blockTooLong = -1;

/**
 * Decodes a block (github.com/lz4/lz4, doc/lz4_Block_format.md) and tells where its output ends, or `blockTooLong`.
 * @throws NodeError `ingest_malformed_body`
 */
export function decodeBlock(
  bytes: Uint8Array,
  start: number,
  end: number,
  { out, outStart, outEnd, windowStart }: BlockOutput,
): number {
  let at = start;
  let to = outStart;
  for (;;) {
    if (at >= end) throw brokenLz4('a block ends too early');
    const token = bytes[at++]!;
    let literals = token >>> 4;
    if (literals === 15) {
      let more = 255;
      while (more === 255) {
        if (at >= end) throw brokenLz4('a block ends too early');
        more = bytes[at++]!;
        literals += more;
      }
    }
    if (literals > end - at) throw brokenLz4('a block ends inside its literals');
    if (literals > outEnd - to) return blockTooLong;
    copyLiterals(bytes, at, literals, { out, to });
    at += literals;
    to += literals;
    // The last sequence has no match.
    if (at === end) return to;
    if (at + 2 > end) throw brokenLz4('a block ends too early');
    const offset = bytes[at]! | (bytes[at + 1]! << 8);
    at += 2;
    let match = (token & 15) + minMatchBytes;
    if ((token & 15) === 15) {
      let more = 255;
      while (more === 255) {
        if (at >= end) throw brokenLz4('a block ends too early');
        more = bytes[at++]!;
        match += more;
      }
    }
    if (offset === 0 || offset > to - windowStart) throw brokenLz4('a match is out of reach');
    if (match > outEnd - to) return blockTooLong;
    // Byte by byte: source and target may overlap, which repeats the bytes between them.
    for (const stop = to + match; to < stop; to++) out[to] = out[to - offset]!;
  }
}

function copyLiterals(
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
