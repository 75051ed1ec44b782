import {
  appendBase64,
  appendDouble,
  appendInt64,
  appendJsonString,
  type AttributeSink,
  ByteBuffer,
  KeyPath,
  type ProtobufReader,
  tagOf,
  wireBytes,
  wireFixed64,
  wireVarint,
} from '../../codec/index.ts';
import { ValueDepth } from './value-depth.ts';

// opentelemetry/proto/common/v1/common.proto: AnyValue.
const stringTag = tagOf(1, wireBytes);
const boolTag = tagOf(2, wireVarint);
const intTag = tagOf(3, wireVarint);
const doubleTag = tagOf(4, wireFixed64);
const arrayTag = tagOf(5, wireBytes);
const kvlistTag = tagOf(6, wireBytes);
const bytesTag = tagOf(7, wireBytes);
// ArrayValue and KeyValueList.
const valuesTag = tagOf(1, wireBytes);
// KeyValue.
const keyTag = tagOf(1, wireBytes);
const valueTag = tagOf(2, wireBytes);

const noValue = 0;
const trueText = new TextEncoder().encode('true');
const falseText = new TextEncoder().encode('false');
const emptyObject = new TextEncoder().encode('{}');

/** Turns AnyValue messages into attributes and texts. `text[textStart, textEnd)` is the last text made. */
export class ProtobufValue {
  readonly #reader: ProtobufReader;
  readonly #path = new KeyPath();
  readonly #depth = new ValueDepth();
  readonly #out = new ByteBuffer(1024);
  text: Uint8Array = this.#out.bytes;
  textStart = 0;
  textEnd = 0;

  // Spans of the KeyValue read last; `#valueStart` is -1 when it has no value.
  #keyStart = 0;
  #keyEnd = 0;
  #valueStart = -1;
  #valueEnd = 0;

  constructor(reader: ProtobufReader) {
    this.#reader = reader;
  }

  reset(): void {
    this.#depth.reset();
  }

  /** Adds the KeyValue of the span as one attribute, or as one for each leaf of a map. */
  attribute(start: number, end: number, sink: AttributeSink): void {
    const reader = this.#reader;
    this.#readPair(start, end);
    reader.readTextOf(this.#keyStart, this.#keyEnd);
    if (reader.isTextInput) {
      this.#path.borrow(reader.text, reader.textStart, reader.textEnd);
    } else {
      this.#path.copy(reader.text, reader.textStart, reader.textEnd);
    }
    this.#addValue(this.#valueStart, this.#valueEnd, sink);
  }

  /** Puts the AnyValue of the span into `text`: scalars as they are, maps and arrays as compact JSON. */
  readText(start: number, end: number): boolean {
    const tag = this.#readValue(start, end);
    if (tag === noValue) return false;
    this.#toText(tag);
    return true;
  }

  #addValue(start: number, end: number, sink: AttributeSink): void {
    const reader = this.#reader;
    const path = this.#path;
    const tag = start === -1 ? noValue : this.#readValue(start, end);
    if (tag === noValue) {
      sink.attributeNull(path.bytes, path.start, path.end);
    } else if (tag === kvlistTag) {
      this.#addMembers(reader.start, reader.end, sink);
    } else {
      this.#toText(tag);
      sink.attribute(path.bytes, path.start, path.end, this.text, this.textStart, this.textEnd);
    }
  }

  #addMembers(start: number, end: number, sink: AttributeSink): void {
    const reader = this.#reader;
    const path = this.#path;
    let isEmpty = true;
    this.#depth.enter(start);
    reader.enter(start, end);
    while (reader.next()) {
      if (reader.tag !== valuesTag) continue;
      isEmpty = false;
      this.#readPair(reader.start, reader.end);
      reader.readTextOf(this.#keyStart, this.#keyEnd);
      const mark = path.push(reader.text, reader.textStart, reader.textEnd, start);
      this.#addValue(this.#valueStart, this.#valueEnd, sink);
      path.pop(mark);
    }
    reader.leave();
    this.#depth.leave();
    if (isEmpty) {
      sink.attribute(path.bytes, path.start, path.end, emptyObject, 0, emptyObject.length);
    }
  }

  #readPair(start: number, end: number): void {
    const reader = this.#reader;
    // Nearly all pairs are a short key and a short value, in this order and with nothing else.
    const { bytes } = reader;
    const keyLength = bytes[start + 1]!;
    const valueHead = start + 2 + keyLength;
    const isPlain =
      bytes[start] === keyTag &&
      keyLength < 0x80 &&
      bytes[valueHead] === valueTag &&
      valueHead + 2 + bytes[valueHead + 1]! === end &&
      bytes[valueHead + 1]! < 0x80;
    if (isPlain) {
      this.#keyStart = start + 2;
      this.#keyEnd = valueHead;
      this.#valueStart = valueHead + 2;
      this.#valueEnd = end;
      return;
    }
    this.#keyStart = start;
    this.#keyEnd = start;
    this.#valueStart = -1;
    reader.enter(start, end);
    while (reader.next()) {
      if (reader.tag === keyTag) {
        this.#keyStart = reader.start;
        this.#keyEnd = reader.end;
      } else if (reader.tag === valueTag) {
        this.#valueStart = reader.start;
        this.#valueEnd = reader.end;
      }
    }
    reader.leave();
  }

  /** Reads the oneof, whose last field counts, into the reader's value fields; tells which it is. */
  #readValue(start: number, end: number): number {
    const reader = this.#reader;
    const { bytes } = reader;
    if (bytes[start] === stringTag && start + 2 + bytes[start + 1]! === end && end - start < 0x82) {
      // A short string and nothing else.
      reader.start = start + 2;
      reader.end = end;
      return stringTag;
    }
    let tag = noValue;
    let low = 0;
    let high = 0;
    let spanStart = 0;
    let spanEnd = 0;
    reader.enter(start, end);
    while (reader.next()) {
      if (!isValueTag(reader.tag)) continue;
      tag = reader.tag;
      ({ low, high, start: spanStart, end: spanEnd } = reader);
    }
    reader.leave();
    reader.low = low;
    reader.high = high;
    reader.start = spanStart;
    reader.end = spanEnd;
    return tag;
  }

  #toText(tag: number): void {
    const reader = this.#reader;
    const out = this.#out;
    switch (tag) {
      case stringTag:
        reader.readText();
        this.#show(reader.text, reader.textStart, reader.textEnd);
        return;
      case boolTag:
        this.#showAll(reader.low === 0 && reader.high === 0 ? falseText : trueText);
        return;
      default:
    }
    out.clear();
    if (tag === doubleTag) {
      appendDouble(out, reader.double());
    } else if (tag === bytesTag) {
      appendBase64(out, reader.bytes, reader.start, reader.end);
    } else {
      this.#appendJson(tag);
    }
    this.#show(out.bytes, 0, out.size);
  }

  #appendJson(tag: number): void {
    const reader = this.#reader;
    const out = this.#out;
    switch (tag) {
      case stringTag:
        reader.readText();
        appendJsonString(out, reader.text, reader.textStart, reader.textEnd);
        return;
      case boolTag:
        out.ascii(reader.low === 0 && reader.high === 0 ? 'false' : 'true');
        return;
      case intTag:
        appendInt64(out, reader.high, reader.low);
        return;
      case doubleTag:
        this.#appendJsonDouble(reader.double());
        return;
      case bytesTag:
        out.byte(0x22);
        appendBase64(out, reader.bytes, reader.start, reader.end);
        out.byte(0x22);
        return;
      case arrayTag:
        this.#appendJsonArray(reader.start, reader.end);
        return;
      case kvlistTag:
        this.#appendJsonObject(reader.start, reader.end);
        return;
      default:
        out.ascii('null');
    }
  }

  /** JSON has no form for the values that are no numbers; they become strings. */
  #appendJsonDouble(value: number): void {
    if (Number.isFinite(value)) {
      appendDouble(this.#out, value);
    } else {
      this.#out.ascii(`"${value}"`);
    }
  }

  #appendJsonArray(start: number, end: number): void {
    const reader = this.#reader;
    const out = this.#out;
    let isFirst = true;
    this.#depth.enter(start);
    out.byte(0x5b);
    reader.enter(start, end);
    while (reader.next()) {
      if (reader.tag !== valuesTag) continue;
      if (!isFirst) out.byte(0x2c);
      isFirst = false;
      this.#appendJson(this.#readValue(reader.start, reader.end));
    }
    reader.leave();
    out.byte(0x5d);
    this.#depth.leave();
  }

  #appendJsonObject(start: number, end: number): void {
    const reader = this.#reader;
    const out = this.#out;
    let isFirst = true;
    this.#depth.enter(start);
    out.byte(0x7b);
    reader.enter(start, end);
    while (reader.next()) {
      if (reader.tag !== valuesTag) continue;
      if (!isFirst) out.byte(0x2c);
      isFirst = false;
      this.#readPair(reader.start, reader.end);
      reader.readTextOf(this.#keyStart, this.#keyEnd);
      appendJsonString(out, reader.text, reader.textStart, reader.textEnd);
      out.byte(0x3a);
      const hasValue = this.#valueStart !== -1;
      this.#appendJson(hasValue ? this.#readValue(this.#valueStart, this.#valueEnd) : noValue);
    }
    reader.leave();
    out.byte(0x7d);
    this.#depth.leave();
  }

  #showAll(bytes: Uint8Array): void {
    this.#show(bytes, 0, bytes.length);
  }

  #show(bytes: Uint8Array, start: number, end: number): void {
    this.text = bytes;
    this.textStart = start;
    this.textEnd = end;
  }
}

function isValueTag(tag: number): boolean {
  return (
    tag === stringTag ||
    tag === intTag ||
    tag === boolTag ||
    tag === doubleTag ||
    tag === arrayTag ||
    tag === kvlistTag ||
    tag === bytesTag
  );
}
