import { NodeError } from '../../base/errors.ts';
import {
  FieldNames,
  JsonCursor,
  JsonFlattener,
  jsonArray,
  jsonNull,
  jsonObject,
  jsonString,
  parseTimestamp,
} from '../../codec/index.ts';
import type { EventWriter } from './event-writer.ts';
import { hecError, withEventNumber } from './status.ts';

const timeField = 1;
const hostField = 2;
const sourceField = 3;
const sourcetypeField = 4;
const indexField = 5;
const eventField = 6;
const fieldsField = 7;

const envelope = new FieldNames({
  time: timeField,
  host: hostField,
  source: sourceField,
  sourcetype: sourcetypeField,
  index: indexField,
  event: eventField,
  fields: fieldsField,
});

/** Space, and commas, which some senders put between objects. */
const isSeparator = new Uint8Array(256);
for (const byte of new TextEncoder().encode(' \t\r\n,')) isSeparator[byte] = 1;

/**
 * Decodes events: JSON objects one after the other, with anything or nothing between them, or in arrays. All or
 * nothing: the first event that cannot be taken refuses the request, by its number.
 */
export class EventDecoder {
  readonly #cursor = new JsonCursor();
  readonly #flattener = new JsonFlattener(this.#cursor);
  readonly #time = { high: 0, low: 0 };

  decode(body: Uint8Array, writer: EventWriter): void {
    const cursor = this.#cursor;
    cursor.open(body);
    try {
      for (;;) {
        while (isSeparator[body[cursor.position] ?? 0] === 1) cursor.position++;
        if (cursor.position >= body.length) break;
        if (cursor.peek() === jsonArray) {
          cursor.enterArray();
          while (cursor.nextElement()) this.#event(writer);
        } else {
          this.#event(writer);
        }
      }
    } catch (error) {
      throw error instanceof NodeError ? withEventNumber(error, writer.received) : error;
    }
    if (writer.received === 0) throw hecError(5);
  }

  #event(writer: EventWriter): void {
    const cursor = this.#cursor;
    // A member that comes twice: the first counts.
    let seen = 0;
    writer.begin();
    cursor.enterObject();
    while (cursor.nextKey()) {
      const field = envelope.find(cursor.text, cursor.textStart, cursor.textEnd);
      if (field === 0) {
        this.#flattener.value(writer);
      } else if ((seen & (1 << field)) !== 0) {
        cursor.skip();
      } else {
        seen |= 1 << field;
        this.#member(field, writer);
      }
    }
    if (!writer.hasBody && !writer.hasMessage) throw hecError(12);
    writer.finish();
  }

  #member(field: number, writer: EventWriter): void {
    if (field === eventField) {
      this.#body(writer);
    } else if (field === fieldsField) {
      this.#fields(writer);
    } else {
      this.#metadata(field, writer);
    }
  }

  #metadata(field: number, writer: EventWriter): void {
    const cursor = this.#cursor;
    if (cursor.readScalar() === jsonNull || cursor.textStart === cursor.textEnd) return;
    const { text, textStart, textEnd } = cursor;
    switch (field) {
      case timeField:
        if (!parseTimestamp(text, textStart, textEnd, this.#time)) throw hecError(6);
        writer.time(this.#time.high, this.#time.low);
        break;
      case hostField:
        writer.host(text, textStart, textEnd);
        break;
      case sourceField:
        writer.source(text, textStart, textEnd);
        break;
      case sourcetypeField:
        writer.sourcetype(text, textStart, textEnd);
        break;
      case indexField:
        writer.index(text, textStart, textEnd);
        break;
    }
  }

  /**
   * The members of a structured event become attributes, and its message the body; without a message that is the
   * whole event as compact JSON.
   */
  #body(writer: EventWriter): void {
    const cursor = this.#cursor;
    const kind = cursor.peek();
    if (kind === jsonNull) throw hecError(12);
    if (kind === jsonObject) {
      const start = cursor.position;
      writer.isInEvent = true;
      this.#flattener.object(writer);
      writer.isInEvent = false;
      if (writer.hasMessage) return;
      cursor.revisit(start);
    }
    if (kind === jsonString) {
      cursor.readScalar();
      if (cursor.textStart === cursor.textEnd) throw hecError(13);
    } else {
      cursor.readCompact();
    }
    writer.body(cursor.text, cursor.textStart, cursor.textEnd);
  }

  /** Flat: values are scalars or arrays of them. */
  #fields(writer: EventWriter): void {
    const cursor = this.#cursor;
    const kind = cursor.peek();
    if (kind === jsonNull) {
      cursor.readScalar();
      return;
    }
    if (kind !== jsonObject) throw hecError(15);
    cursor.enterObject();
    while (cursor.nextKey()) {
      if (cursor.peek() === jsonObject) throw hecError(15);
      this.#flattener.value(writer);
    }
  }
}
