import type { ByteBuffer } from './byte-buffer.ts';
import { hexDigit } from './hex-digit.ts';

const hexCodes = new TextEncoder().encode('0123456789abcdef');

/** Writes the bytes as lower-case hexadecimal into `to` at `at`. */
export function writeHex(to: Uint8Array, bytes: Uint8Array, start: number, end: number): void {
  let at = 0;
  for (let from = start; from < end; from++) {
    const byte = bytes[from]!;
    to[at++] = hexCodes[byte >> 4]!;
    to[at++] = hexCodes[byte & 15]!;
  }
}

/** Copies hexadecimal text of any case to `to` in lower case; false when it is anything else. */
export function copyHex(to: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  let at = 0;
  for (let from = start; from < end; from++) {
    const digit = hexDigit(bytes[from]);
    if (digit === -1) return false;
    to[at++] = hexCodes[digit]!;
  }
  return true;
}

/** Base64 with padding (RFC 4648 section 4). */
export function appendBase64(out: ByteBuffer, bytes: Uint8Array, start: number, end: number): void {
  out.ascii(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('base64'));
}

const base64Text = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * Base64 text of the standard or the URL alphabet, padded or not, as standard padded base64; false when it is
 * anything else.
 */
export function appendNormalBase64(
  out: ByteBuffer,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
  if (!base64Text.test(text) || text.replaceAll('=', '').length % 4 === 1) return false;
  out.ascii(Buffer.from(text, 'base64').toString('base64'));
  return true;
}
