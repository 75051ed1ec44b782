import {
  copyHexId,
  type Int64Halves,
  JsonCursor,
  jsonArray,
  jsonNumber,
  jsonObject,
  jsonString,
  malformedBody,
  parseInt64,
} from '../../codec/index.ts';
import { severityOfName } from '../../columns/index.ts';
import {
  attributesField,
  bodyField,
  droppedCountField,
  eventNameField,
  flagsField,
  jsonFields,
  logRecordsField,
  nameField,
  observedTimeField,
  resourceField,
  resourceLogsField,
  scopeField,
  scopeLogsField,
  severityNumberField,
  severityTextField,
  spanIdField,
  timeField,
  traceIdField,
  versionField,
} from './json-fields.ts';
import { readInt64 } from './json-number.ts';
import { JsonValue, passNull } from './json-value.ts';
import type { RecordWriter } from './record-writer.ts';
import { scopeNameKey, scopeVersionKey } from './scope-keys.ts';
import type { SharedAttributeSink } from './shared-attribute-sink.ts';

/** Each of the 64 levels of a value takes up to four of JSON. */
const maxJsonDepth = 300;

/** Decodes ExportLogsServiceRequest in the JSON encoding (OTLP specification, JSON protobuf encoding). */
export class JsonLogsDecoder {
  readonly #cursor = new JsonCursor({ maxDepth: maxJsonDepth });
  readonly #value = new JsonValue(this.#cursor);
  readonly #int64: Int64Halves = { high: 0, low: 0 };

  decode(body: Uint8Array, writer: RecordWriter): void {
    const cursor = this.#cursor;
    this.#value.reset();
    cursor.open(body);
    cursor.enterObject();
    while (cursor.nextKey()) {
      if (this.#field() !== resourceLogsField) {
        cursor.skip();
      } else if (!passNull(cursor)) {
        cursor.enterArray();
        while (cursor.nextElement()) this.#resourceLogs(writer);
      }
    }
    cursor.expectEnd();
  }

  #field(): number {
    const { text, textStart, textEnd } = this.#cursor;
    return jsonFields.find(text, textStart, textEnd);
  }

  /** Logs that stand before their resource are passed and visited again behind it. */
  #resourceLogs(writer: RecordWriter): void {
    const cursor = this.#cursor;
    let hasResource = false;
    let earlyLogs: number[] | undefined;
    writer.resource.clear();
    cursor.enterObject();
    while (cursor.nextKey()) {
      const field = this.#field();
      if (field === resourceField && !hasResource) {
        hasResource = true;
        this.#resource(writer.resource);
      } else if (field === scopeLogsField && hasResource) {
        this.#scopeLogsList(writer);
      } else {
        if (field === scopeLogsField) (earlyLogs ??= []).push(cursor.position);
        cursor.skip();
      }
    }
    if (earlyLogs === undefined) return;
    const behind = cursor.position;
    for (const position of earlyLogs) {
      cursor.revisit(position);
      this.#scopeLogsList(writer);
    }
    cursor.revisit(behind);
  }

  #scopeLogsList(writer: RecordWriter): void {
    const cursor = this.#cursor;
    if (passNull(cursor)) return;
    cursor.enterArray();
    while (cursor.nextElement()) this.#scopeLogs(writer);
  }

  #scopeLogs(writer: RecordWriter): void {
    const cursor = this.#cursor;
    let hasScope = false;
    let earlyRecords: number[] | undefined;
    writer.scope.clear();
    cursor.enterObject();
    while (cursor.nextKey()) {
      const field = this.#field();
      if (field === scopeField && !hasScope) {
        hasScope = true;
        this.#scope(writer.scope);
      } else if (field === logRecordsField && hasScope) {
        this.#logRecords(writer);
      } else {
        if (field === logRecordsField) (earlyRecords ??= []).push(cursor.position);
        cursor.skip();
      }
    }
    if (earlyRecords === undefined) return;
    const behind = cursor.position;
    for (const position of earlyRecords) {
      cursor.revisit(position);
      this.#logRecords(writer);
    }
    cursor.revisit(behind);
  }

  #logRecords(writer: RecordWriter): void {
    const cursor = this.#cursor;
    if (passNull(cursor)) return;
    cursor.enterArray();
    while (cursor.nextElement()) this.#logRecord(writer);
  }

  #resource(resource: SharedAttributeSink): void {
    const cursor = this.#cursor;
    if (passNull(cursor)) return;
    cursor.enterObject();
    while (cursor.nextKey()) {
      if (this.#field() === attributesField) {
        this.#value.attributes(resource);
      } else {
        cursor.skip();
      }
    }
  }

  /** Name and version come first in a scope's attributes, wherever they stand in the object. */
  #scope(scope: SharedAttributeSink): void {
    const cursor = this.#cursor;
    if (passNull(cursor)) return;
    const start = cursor.position;
    this.#scopeMembers(scope, nameField);
    cursor.revisit(start);
    this.#scopeMembers(scope, versionField);
    cursor.revisit(start);
    this.#scopeMembers(scope, attributesField);
  }

  #scopeMembers(scope: SharedAttributeSink, wanted: number): void {
    const cursor = this.#cursor;
    cursor.enterObject();
    while (cursor.nextKey()) {
      if (this.#field() !== wanted) {
        cursor.skip();
      } else if (wanted === attributesField) {
        this.#value.attributes(scope);
      } else if (this.#readString()) {
        const key = wanted === nameField ? scopeNameKey : scopeVersionKey;
        scope.attribute(key, 0, key.length, cursor.text, cursor.textStart, cursor.textEnd);
      }
    }
  }

  #logRecord(writer: RecordWriter): void {
    const cursor = this.#cursor;
    const value = this.#value;
    writer.begin();
    cursor.enterObject();
    while (cursor.nextKey()) {
      const field = this.#field();
      if (field === attributesField) {
        value.attributes(writer);
      } else if (field === bodyField) {
        if (value.readText()) writer.body(value.text, value.textStart, value.textEnd);
      } else {
        this.#recordField(field, writer);
      }
    }
    writer.finish();
  }

  #recordField(field: number, writer: RecordWriter): void {
    const cursor = this.#cursor;
    const int64 = this.#int64;
    switch (field) {
      case timeField:
        this.#readTime();
        writer.timeHigh = int64.high;
        writer.timeLow = int64.low;
        break;
      case observedTimeField:
        this.#readTime();
        writer.observedHigh = int64.high;
        writer.observedLow = int64.low;
        break;
      case severityNumberField:
        writer.severityNumber = this.#readSeverityNumber();
        break;
      case severityTextField:
        this.#readString();
        writer.severityText.set(cursor.text, cursor.textStart, cursor.textEnd);
        break;
      case droppedCountField:
        this.#readInt64();
        writer.droppedAttributesCount = int64.low;
        break;
      case flagsField:
        this.#readInt64();
        writer.flags = int64.low;
        break;
      case traceIdField:
        writer.hasTraceId = this.#readId(writer.traceId);
        break;
      case spanIdField:
        writer.hasSpanId = this.#readId(writer.spanId);
        break;
      case eventNameField:
        this.#readString();
        writer.eventName.set(cursor.text, cursor.textStart, cursor.textEnd);
        break;
      default:
        cursor.skip();
    }
  }

  /** Reads a string or null; an empty one and null are the same in OTLP, and false. */
  #readString(): boolean {
    const cursor = this.#cursor;
    if (passNull(cursor)) {
      cursor.clearText();
    } else if (cursor.readScalar() !== jsonString) {
      throw malformedBody('expected a string', cursor.position);
    }
    return cursor.textEnd > cursor.textStart;
  }

  /** A number, or a string with one; null is 0. */
  #readInt64(): void {
    const cursor = this.#cursor;
    if (passNull(cursor)) {
      this.#int64.high = 0;
      this.#int64.low = 0;
      return;
    }
    const kind = cursor.readScalar();
    if (kind !== jsonNumber && kind !== jsonString) {
      throw malformedBody('expected a number', cursor.position);
    }
    readInt64(cursor, this.#int64);
  }

  /** Unsigned in the schema, signed in a column: a time beyond the largest becomes the largest. */
  #readTime(): void {
    this.#readInt64();
    const { text, textStart } = this.#cursor;
    if (this.#int64.high >= 0 || text[textStart] === 0x2d) return;
    this.#int64.high = 0x7fffffff;
    this.#int64.low = -1;
  }

  /** The number, or the name that the schema or the data model gives it; anything else is 0, unspecified. */
  #readSeverityNumber(): number {
    const cursor = this.#cursor;
    const kind = cursor.peek();
    if (kind === jsonObject || kind === jsonArray) {
      throw malformedBody('expected a severity number', cursor.position);
    }
    cursor.readScalar();
    const { text, textStart, textEnd } = cursor;
    if (parseInt64(text, textStart, textEnd, this.#int64)) {
      return this.#int64.high === 0 ? this.#int64.low : 0;
    }
    if (kind !== jsonString || textEnd - textStart > 64) return 0;
    const name = new TextDecoder().decode(text.subarray(textStart, textEnd));
    return severityOfName(name.replace(/^SEVERITY_NUMBER_/i, ''));
  }

  /** Hexadecimal text of the right length; anything else is as good as absent. */
  #readId(id: Uint8Array): boolean {
    const cursor = this.#cursor;
    if (cursor.peek() !== jsonString) {
      cursor.skip();
      return false;
    }
    cursor.readScalar();
    const { text, textStart, textEnd } = cursor;
    return textEnd - textStart === id.length && copyHexId(id, text, textStart, textEnd);
  }
}
