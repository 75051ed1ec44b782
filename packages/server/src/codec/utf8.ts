import { isUtf8 } from 'node:buffer';
import type { ByteBuffer } from './byte-buffer.ts';
import { malformedBody } from './malformed-body.ts';

/** Throws `ingest_malformed_body` with the offset of the first byte that is not UTF-8. */
export function requireUtf8(body: Uint8Array): void {
  if (isUtf8(body)) return;
  throw malformedBody('the text is not valid UTF-8', firstInvalidByte(body));
}

const stepBytes = 4096;

/** Length of the sequence that `lead` begins, 1 when it begins none. */
function sequenceLength(lead: number): number {
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** Finds the step that is not valid with the native check, then looks at its characters one by one. */
function firstInvalidByte(body: Uint8Array): number {
  let at = 0;
  for (;;) {
    let end = Math.min(at + stepBytes, body.length);
    // A step ends before a character, unless the bytes there are no character at all.
    for (let back = 0; back < 3 && end < body.length && (body[end]! & 0xc0) === 0x80; back++) end--;
    if (!isUtf8(body.subarray(at, end)) || end === body.length) break;
    at = end;
  }
  while (at < body.length) {
    const end = at + sequenceLength(body[at]!);
    if (!isUtf8(body.subarray(at, end))) break;
    at = end;
  }
  return at;
}

/** Appends a code point, which is no surrogate, as UTF-8. */
export function appendCodePoint(out: ByteBuffer, code: number): void {
  if (code < 0x80) {
    out.byte(code);
    return;
  }
  if (code < 0x800) {
    out.byte(0xc0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      out.byte(0xe0 | (code >> 12));
    } else {
      out.byte(0xf0 | (code >> 18));
      out.byte(0x80 | ((code >> 12) & 0x3f));
    }
    out.byte(0x80 | ((code >> 6) & 0x3f));
  }
  out.byte(0x80 | (code & 0x3f));
}
