import {
  FieldNames,
  type JsonCursor,
  jsonArray,
  type JsonKind,
  jsonNull,
  jsonNumber,
  jsonObject,
  jsonString,
} from '../../codec/index.ts';
import { SharedAttributes } from '../../columns/index.ts';
import type { EventWriter } from './event-writer.ts';

const messageTypeField = 1;
const logEventsField = 2;
const filtersField = 3;
const ownerField = 4;
const logGroupField = 5;
const logStreamField = 6;

const envelopeFields = new FieldNames({
  messageType: messageTypeField,
  logEvents: logEventsField,
  subscriptionFilters: filtersField,
  owner: ownerField,
  logGroup: logGroupField,
  logStream: logStreamField,
});

const encoder = new TextEncoder();
const attributeNames: readonly Uint8Array[] = [
  'cloud.account.id',
  'aws.log.group.names',
  'aws.log.stream.names',
].map((name) => encoder.encode(name));

const idField = 1;
const timestampField = 2;
const messageField = 3;
const eventFieldNames = { id: idField, timestamp: timestampField, message: messageField };
const eventFields = new FieldNames(eventFieldNames);
const eventFieldKeys = ['', ...Object.keys(eventFieldNames)].map((name) => encoder.encode(name));

const maxIdBytes = 512;
const slash = 0x2f;

/** Beyond it the number is no time in milliseconds. */
const maxTimeMs = 1e15;

/**
 * Reads the documents of a CloudWatch Logs subscription: the events of one log stream, with what they share around
 * them. One per request.
 */
export class LogEnvelope {
  readonly #cursor: JsonCursor;
  readonly #writer: EventWriter;
  readonly #attributes = new SharedAttributes();
  #messageType = '';
  #eventsPosition = -1;
  #service: Uint8Array | undefined;

  constructor(cursor: JsonCursor, writer: EventWriter) {
    this.#cursor = cursor;
    this.#writer = writer;
  }

  /**
   * Reads the object at the cursor if it is an envelope, and goes behind it. False for any other object; the cursor is
   * anywhere then. @throws NodeError `ingest_malformed_body` before any of its events is written
   */
  read(): boolean {
    const cursor = this.#cursor;
    cursor.enterObject();
    // Other documents are told by their first member, and are not read twice.
    if (!cursor.nextKey() || this.#field() === 0) return false;
    this.#readMembers();
    if (this.#messageType === 'CONTROL_MESSAGE') return true;
    if (this.#messageType !== 'DATA_MESSAGE' || this.#eventsPosition === -1) return false;
    const end = cursor.position;
    cursor.revisit(this.#eventsPosition);
    cursor.enterArray();
    while (cursor.nextElement()) {
      if (cursor.peek() === jsonObject) this.#readEvent();
      else cursor.skip();
    }
    cursor.revisit(end);
    return true;
  }

  #field(): number {
    const { text, textStart, textEnd } = this.#cursor;
    return envelopeFields.find(text, textStart, textEnd);
  }

  /** From behind the first key to the end of the object; the events are passed, so that all of it is checked. */
  #readMembers(): void {
    const cursor = this.#cursor;
    this.#attributes.clear();
    this.#messageType = '';
    this.#eventsPosition = -1;
    this.#service = undefined;
    do {
      const field = this.#field();
      const kind = cursor.peek();
      if (kind === jsonString && (field === messageTypeField || field >= ownerField)) {
        cursor.readScalar();
        this.#noteText(field);
      } else {
        if (kind === jsonArray && field === logEventsField) this.#eventsPosition = cursor.position;
        cursor.skip();
      }
    } while (cursor.nextKey());
  }

  #noteText(field: number): void {
    const { text, textStart, textEnd } = this.#cursor;
    const name = attributeNames[field - ownerField];
    if (name === undefined) {
      this.#messageType = Buffer.from(text.subarray(textStart, textEnd)).toString('latin1');
      return;
    }
    if (textStart === textEnd) return;
    this.#attributes.add(name, 0, name.length, text, textStart, textEnd);
    if (field === logGroupField) this.#service = lastSegment(text, textStart, textEnd);
  }

  /** The object at the cursor. What an event has besides the members that are known becomes attributes. */
  #readEvent(): void {
    const cursor = this.#cursor;
    const writer = this.#writer;
    let seen = 0;
    writer.begin();
    cursor.enterObject();
    while (cursor.nextKey()) {
      const { text, textStart, textEnd } = cursor;
      const field = eventFields.find(text, textStart, textEnd);
      const key = field === 0 ? text.slice(textStart, textEnd) : eventFieldKeys[field]!;
      const kind = cursor.peek();
      if (field !== 0 && (seen & (1 << field)) === 0 && this.#takeField(field, kind)) {
        seen |= 1 << field;
      } else {
        this.#addAttribute(key, kind);
      }
    }
    writer.end({ attributes: this.#attributes, service: this.#service });
  }

  /** False, with the value unread, when it is not of the kind that the member has. */
  #takeField(field: number, kind: JsonKind): boolean {
    const cursor = this.#cursor;
    if (kind !== (field === timestampField ? jsonNumber : jsonString)) return false;
    const start = cursor.position;
    cursor.readScalar();
    const { text, textStart, textEnd } = cursor;
    const bytes = textEnd - textStart;
    const span = { bytes: text, start: textStart, end: textEnd };
    if (field === messageField) {
      this.#writer.setLine(span);
      return true;
    }
    if (field === idField && bytes > 0 && bytes <= maxIdBytes) {
      this.#writer.setCloudWatchId(span);
      return true;
    }
    if (field === timestampField) {
      const timeMs = Number(Buffer.from(text.subarray(textStart, textEnd)).toString());
      if (Math.abs(timeMs) < maxTimeMs) {
        this.#writer.setTimeMs(timeMs);
        return true;
      }
    }
    cursor.revisit(start);
    return false;
  }

  #addAttribute(key: Uint8Array, kind: JsonKind): void {
    const cursor = this.#cursor;
    const { builder } = this.#writer;
    if (kind === jsonNull) {
      cursor.skip();
      builder.attributeNull(key, 0, key.length);
      return;
    }
    if (kind === jsonObject || kind === jsonArray) cursor.readCompact();
    else cursor.readScalar();
    builder.attribute(key, 0, key.length, cursor.text, cursor.textStart, cursor.textEnd);
  }
}

/** `/aws/lambda/checkout` is the log group of `checkout`. */
function lastSegment(bytes: Uint8Array, start: number, end: number): Uint8Array | undefined {
  let from = end;
  while (from > start && bytes[from - 1] !== slash) from--;
  return from === end ? undefined : bytes.slice(from, end);
}
