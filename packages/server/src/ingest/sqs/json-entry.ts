import { isUtf8 } from 'node:buffer';
import { JsonCursor, jsonObject, jsonString, malformedBody } from '../../codec/index.ts';
import type { RawEventBuilder } from '../../columns/index.ts';
import { DocumentReader } from '../event-field/index.ts';
import type { EntryReader } from './protocol.ts';

/** One JSON value: an object is a document with time, message and level; anything else is the text of the event. */
export class JsonEntryReader implements EntryReader {
  readonly #builder: RawEventBuilder;
  readonly #cursor = new JsonCursor();
  readonly #documents: DocumentReader;

  constructor(builder: RawEventBuilder) {
    this.#builder = builder;
    this.#documents = new DocumentReader(this.#cursor, builder);
  }

  /** Behind the value that was read. */
  end = 0;

  /** Reads the value at the front of the span. @throws NodeError `ingest_malformed_body` */
  read(bytes: Uint8Array, start: number, end: number): void {
    const cursor = this.#cursor;
    cursor.openUnchecked(bytes);
    cursor.seek(start, end);
    // Where the value ends is known only when it was passed once.
    const kind = cursor.peek();
    const valueStart = cursor.position;
    cursor.skip();
    this.end = cursor.position;
    if (!isUtf8(bytes.subarray(valueStart, this.end))) throw malformedBody('no UTF-8', valueStart);
    cursor.seek(valueStart, this.end);
    if (kind === jsonObject) {
      this.#documents.read();
    } else {
      if (kind === jsonString) cursor.readScalar();
      else cursor.readCompact();
      this.#builder.setBody(cursor.text, cursor.textStart, cursor.textEnd);
    }
  }
}

/** A line that is one JSON value and nothing else. */
export class JsonLineReader implements EntryReader {
  readonly #values: JsonEntryReader;

  constructor(values: JsonEntryReader) {
    this.#values = values;
  }

  /** @throws NodeError `ingest_malformed_body` */
  read(bytes: Uint8Array, start: number, end: number): void {
    this.#values.read(bytes, start, end);
    for (let at = this.#values.end; at < end; at++) {
      if (bytes[at]! > 0x20) throw malformedBody('the line goes on behind its value', at);
    }
  }
}
