import { isUtf8 } from 'node:buffer';
import { NodeError } from '../../base/errors.ts';
import type { EventWriter } from './event-writer.ts';
import { hecError, withEventNumber } from './status.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Every line of the body is an event; blank ones are passed. Bytes that are no UTF-8 become U+FFFD. */
export function decodeRaw(body: Uint8Array, writer: EventWriter): void {
  const text = isUtf8(body) ? body : new TextEncoder().encode(new TextDecoder().decode(body));
  try {
    for (let start = 0; start < text.length;) {
      const feed = text.indexOf(lineFeed, start);
      const stop = feed === -1 ? text.length : feed;
      const end = stop > start && text[stop - 1] === carriageReturn ? stop - 1 : stop;
      if (!isBlank(text, start, end)) {
        writer.begin();
        writer.body(text, start, end);
        writer.finish();
      }
      start = stop + 1;
    }
  } catch (error) {
    throw error instanceof NodeError ? withEventNumber(error, writer.received) : error;
  }
  if (writer.received === 0) throw hecError(5);
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at]! > 0x20) return false;
  return true;
}
