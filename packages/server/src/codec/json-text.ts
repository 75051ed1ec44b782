import type { ByteBuffer } from './byte-buffer.ts';

const quote = 0x22;
const backslash = 0x5c;
const hexCodes = new TextEncoder().encode('0123456789abcdef');

/** The letter of a two-character escape; 1 for bytes that need `\u00xx`; 0 for bytes that stand as they are. */
const escapeOf = new Uint8Array(256);
escapeOf.fill(1, 0, 0x20);
for (const [from, to] of ['""', '\\\\', '\bb', '\ff', '\nn', '\rr', '\tt']) {
  if (from !== undefined && to !== undefined) escapeOf[from.charCodeAt(0)] = to.charCodeAt(0);
}

/** Appends valid UTF-8 as a JSON string, escaping what RFC 8259 demands and no more. */
export function appendJsonString(
  out: ByteBuffer,
  bytes: Uint8Array,
  start: number,
  end: number,
): void {
  out.byte(quote);
  let runStart = start;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    const escape = escapeOf[byte]!;
    if (escape === 0) continue;
    out.append(bytes, runStart, at);
    runStart = at + 1;
    out.byte(backslash);
    if (escape === 1) {
      out.ascii('u00');
      out.byte(hexCodes[byte >> 4]!);
      out.byte(hexCodes[byte & 15]!);
    } else {
      out.byte(escape);
    }
  }
  out.append(bytes, runStart, end);
  out.byte(quote);
}

/** Appends JSON text without the space between its tokens. The span must have been checked to be JSON. */
export function appendWithoutSpace(
  out: ByteBuffer,
  bytes: Uint8Array,
  start: number,
  end: number,
): void {
  let at = start;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte !== quote) {
      if (byte > 0x20) out.byte(byte);
      at++;
      continue;
    }
    const open = at++;
    while (bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
    out.append(bytes, open, ++at);
  }
}
