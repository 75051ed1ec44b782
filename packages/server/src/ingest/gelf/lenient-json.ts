import { isUtf8 } from 'node:buffer';
import { ByteBuffer } from '../../codec/index.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

const hexCodes = new TextEncoder().encode('0123456789abcdef');

/**
 * The text with what embedded senders get wrong put right: control characters inside strings are escaped, a comma
 * before a closing bracket is left out, and bytes that are no UTF-8 become U+FFFD. Other faults stay as they are.
 */
export function repairJson(text: Uint8Array): Uint8Array {
  const bytes = isUtf8(text) ? text : new TextEncoder().encode(new TextDecoder().decode(text));
  const out = new ByteBuffer(bytes.length + 64);
  let isInString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (isInString && byte < 0x20) {
      out.ascii('\\u00');
      out.byte(hexCodes[byte >> 4]!);
      out.byte(hexCodes[byte & 15]!);
      continue;
    }
    if (!isInString && byte === comma && closesNext(bytes, at + 1)) continue;
    out.byte(byte);
    if (byte === quote) {
      isInString = !isInString;
    } else if (
      byte === backslash &&
      isInString &&
      at + 1 < bytes.length &&
      bytes[at + 1]! >= 0x20
    ) {
      out.byte(bytes[++at]!);
    }
  }
  return out.bytes.subarray(0, out.size);
}

/** Whether a container is closed next, white space aside. */
function closesNext(bytes: Uint8Array, start: number): boolean {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte > 0x20) return byte === closeBrace || byte === closeBracket;
  }
  return false;
}
