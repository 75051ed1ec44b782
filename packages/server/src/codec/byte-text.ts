import type { ByteBuffer } from './byte-buffer.ts';
import { hexDigit } from './hex-digit.ts';

const hexCodes = new TextEncoder().encode('0123456789abcdef');
const zeroCode = 0x30;

/** The lower-case form of each hexadecimal digit, 0 for all other bytes. */
const hexLower = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  const digit = hexDigit(byte);
  if (digit !== -1) hexLower[byte] = hexCodes[digit]!;
}

/** Writes the bytes of an id into `to` as lower-case hexadecimal; false when all are zero, which is no id. */
export function writeHexId(to: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  let at = 0;
  let bits = 0;
  for (let from = start; from < end; from++) {
    const byte = bytes[from]!;
    bits |= byte;
    to[at++] = hexCodes[byte >> 4]!;
    to[at++] = hexCodes[byte & 15]!;
  }
  return bits !== 0;
}

/** Copies an id in hexadecimal of any case into `to` in lower case; false when it is none, or all zeros. */
export function copyHexId(to: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  let at = 0;
  let bits = 0;
  for (let from = start; from < end; from++) {
    const code = hexLower[bytes[from]!]!;
    if (code === 0) return false;
    bits |= code ^ zeroCode;
    to[at++] = code;
  }
  return bits !== 0;
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
