import { isUtf8 } from 'node:buffer';
import { JsonCursor } from '../../codec/index.ts';
import { DocumentReader } from '../event-field/index.ts';
import type { EventWriter } from './event-writer.ts';
import { LogEnvelope } from './log-envelope.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const comma = 0x2c;
const space = 0x20;
const openBrace = 0x7b;

const encodingKey = new TextEncoder().encode('firehose.record.encoding');
const base64Value = new TextEncoder().encode('base64');

/**
 * Makes events of the data of a record: JSON objects, which may stand one behind the other with nothing between them,
 * CloudWatch Logs envelopes among them, and lines of text. Nothing is refused: what begins as an object and is none
 * is a line. One per request.
 */
export class RecordReader {
  readonly #writer: EventWriter;
  readonly #cursor = new JsonCursor();
  readonly #documents: DocumentReader;
  readonly #envelope: LogEnvelope;

  constructor(writer: EventWriter) {
    this.#writer = writer;
    this.#documents = new DocumentReader(this.#cursor, writer.builder);
    this.#envelope = new LogEnvelope(this.#cursor, writer);
  }

  read(data: Uint8Array): void {
    const text = isUtf8(data) ? data : repairUtf8(data);
    const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    this.#cursor.openUnchecked(bytes);
    for (let at = this.#cursor.position; at < bytes.length;) {
      const feed = bytes.indexOf(lineFeed, at);
      const lineEnd = feed === -1 ? bytes.length : feed;
      const first = behindSpace(bytes, at, lineEnd);
      const next = bytes[first] === openBrace ? this.#readDocument(first, bytes.length) : -1;
      if (next !== -1) {
        at = bytes[next] === comma ? next + 1 : next;
        continue;
      }
      if (first < lineEnd) this.#readLine(bytes, at, lineEnd);
      at = lineEnd + 1;
    }
  }

  /** A record whose data cannot be decoded is kept as it came. */
  readRaw(base64: Uint8Array, start: number, end: number): void {
    const writer = this.#writer;
    writer.begin();
    writer.builder.setBody(base64, start, end);
    writer.builder.attributeText(encodingKey, base64Value);
    writer.end();
  }

  /** Where the object that begins at `start` ends; -1 when there is none. */
  #readDocument(start: number, end: number): number {
    const cursor = this.#cursor;
    const writer = this.#writer;
    const isRead = writer.attempt(() => {
      cursor.seek(start, end);
      if (this.#envelope.read()) return;
      cursor.seek(start, end);
      writer.begin();
      this.#documents.readObject();
      writer.end();
    });
    return isRead ? cursor.position : -1;
  }

  #readLine(bytes: Uint8Array, start: number, lineEnd: number): void {
    const writer = this.#writer;
    const end = bytes[lineEnd - 1] === carriageReturn ? lineEnd - 1 : lineEnd;
    writer.begin();
    writer.setLine({ bytes, start, end });
    writer.end();
  }
}

function behindSpace(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at]! <= space) at++;
  return at;
}

function repairUtf8(bytes: Uint8Array): Uint8Array {
  return new TextEncoder().encode(new TextDecoder().decode(bytes));
}
