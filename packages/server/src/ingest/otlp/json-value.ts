import {
  appendDouble,
  appendJsonString,
  appendNormalBase64,
  type AttributeSink,
  ByteBuffer,
  isShortestDecimal,
  jsonFalse,
  jsonNull,
  jsonNumber,
  type JsonCursor,
  jsonString,
  jsonTrue,
  KeyPath,
  malformedBody,
} from '../../codec/index.ts';
import {
  arrayValueField,
  boolValueField,
  bytesValueField,
  doubleValueField,
  intValueField,
  jsonFields,
  keyField,
  kvlistValueField,
  stringValueField,
  valueField,
  valuesField,
} from './json-fields.ts';
import { doubleOf, integerText, isCanonicalInteger } from './json-number.ts';
import { ValueDepth } from './value-depth.ts';

const noValue = 0;
const encoder = new TextEncoder();
const emptyObject = encoder.encode('{}');
const pairStart = encoder.encode('{"key":"');
const stringValueStart = encoder.encode(',"value":{"stringValue":"');
const pairEnd = encoder.encode('}}');

/**
 * Turns AnyValue objects of the JSON encoding into attributes and texts, equal to those that the protobuf
 * encoding gives. Of several kinds in one value the first counts. `text[textStart, textEnd)` is the last text.
 */
export class JsonValue {
  readonly #cursor: JsonCursor;
  readonly #path = new KeyPath();
  readonly #depth = new ValueDepth();
  readonly #out = new ByteBuffer(1024);
  text: Uint8Array = this.#out.bytes;
  textStart = 0;
  textEnd = 0;

  constructor(cursor: JsonCursor) {
    this.#cursor = cursor;
  }

  reset(): void {
    this.#depth.reset();
  }

  /** Reads a list of KeyValue, or null, and adds each as one attribute or as one for each leaf of a map. */
  attributes(sink: AttributeSink): void {
    const cursor = this.#cursor;
    if (passNull(cursor)) return;
    cursor.enterArray();
    while (cursor.nextElement()) {
      if (!this.#plainPair(sink)) this.#pair(sink, false);
    }
  }

  /** Reads an AnyValue into `text`: scalars as they are, maps and arrays as compact JSON. False: no value. */
  readText(): boolean {
    const kind = this.#enterValue();
    if (kind === noValue) return false;
    this.#toText(kind);
    this.#leaveValue();
    return true;
  }

  /** Reads a KeyValue written as nearly all are; false, with the cursor where it was, for any other. */
  #plainPair(sink: AttributeSink): boolean {
    const cursor = this.#cursor;
    const start = cursor.position;
    if (cursor.passExact(pairStart) && cursor.passPlainText()) {
      const { text, textStart, textEnd } = cursor;
      if (cursor.passExact(stringValueStart) && cursor.passPlainText()) {
        const valueStart = cursor.textStart;
        const valueEnd = cursor.textEnd;
        if (cursor.passExact(pairEnd)) {
          sink.attribute(text, textStart, textEnd, text, valueStart, valueEnd);
          return true;
        }
      }
    }
    cursor.revisit(start);
    return false;
  }

  /**
   * Reads one KeyValue as attributes of `sink`, or as a JSON member of the output when there is none. The value
   * may stand before the key; then it is passed and visited again.
   */
  #pair(sink: AttributeSink | undefined, isNested: boolean): void {
    const cursor = this.#cursor;
    let mark = -1;
    let hasValue = false;
    let earlyValue = -1;
    cursor.enterObject();
    while (cursor.nextKey()) {
      const field = jsonFields.find(cursor.text, cursor.textStart, cursor.textEnd);
      if (field === keyField && mark === -1 && !passNull(cursor)) {
        if (cursor.readScalar() !== jsonString)
          throw malformedBody('expected a string', cursor.position);
        mark = this.#key(sink, isNested);
      } else if (field === valueField && mark !== -1 && !hasValue) {
        hasValue = true;
        this.#pairValue(sink);
      } else {
        if (field === valueField && earlyValue === -1) earlyValue = cursor.position;
        cursor.skip();
      }
    }
    if (mark === -1) {
      cursor.clearText();
      mark = this.#key(sink, isNested);
    }
    if (!hasValue) this.#lateValue(sink, earlyValue);
    if (isNested && sink !== undefined) this.#path.pop(mark);
  }

  #lateValue(sink: AttributeSink | undefined, earlyValue: number): void {
    const cursor = this.#cursor;
    if (earlyValue !== -1) {
      const behind = cursor.position;
      cursor.revisit(earlyValue);
      this.#pairValue(sink);
      cursor.revisit(behind);
    } else if (sink === undefined) {
      this.#out.ascii('null');
    } else {
      sink.attributeNull(this.#path.bytes, this.#path.start, this.#path.end);
    }
  }

  /** Takes the cursor's text as the name of the pair. Returns the mark to pop when it is nested. */
  #key(sink: AttributeSink | undefined, isNested: boolean): number {
    const { text, textStart, textEnd, isTextInput, position } = this.#cursor;
    if (sink === undefined) {
      appendJsonString(this.#out, text, textStart, textEnd);
      this.#out.byte(0x3a);
      return 0;
    }
    if (isNested) return this.#path.push(text, textStart, textEnd, position);
    if (isTextInput) {
      this.#path.borrow(text, textStart, textEnd);
    } else {
      this.#path.copy(text, textStart, textEnd);
    }
    return 0;
  }

  #pairValue(sink: AttributeSink | undefined): void {
    const kind = this.#enterValue();
    if (sink === undefined) {
      this.#appendJson(kind);
    } else {
      this.#addValue(kind, sink);
    }
    if (kind !== noValue) this.#leaveValue();
  }

  #addValue(kind: number, sink: AttributeSink): void {
    const path = this.#path;
    if (kind === noValue) {
      sink.attributeNull(path.bytes, path.start, path.end);
    } else if (kind === kvlistValueField) {
      if (this.#items(kind, sink) > 0) return;
      sink.attribute(path.bytes, path.start, path.end, emptyObject, 0, emptyObject.length);
    } else {
      this.#toText(kind);
      sink.attribute(path.bytes, path.start, path.end, this.text, this.textStart, this.textEnd);
    }
  }

  /**
   * Goes into an AnyValue up to the content of its first kind that is not null. With `noValue` there is none
   * and the object is behind the cursor already; else `#leaveValue` follows.
   */
  #enterValue(): number {
    const cursor = this.#cursor;
    if (passNull(cursor)) return noValue;
    cursor.enterObject();
    while (cursor.nextKey()) {
      const field = jsonFields.find(cursor.text, cursor.textStart, cursor.textEnd);
      if (field < stringValueField) {
        cursor.skip();
      } else if (!passNull(cursor)) {
        return field;
      }
    }
    return noValue;
  }

  #leaveValue(): void {
    while (this.#cursor.nextKey()) this.#cursor.skip();
  }

  /** Reads the `values` of an array or map; tells how many there are. Without a sink they go to the output. */
  #items(kind: number, sink?: AttributeSink): number {
    const cursor = this.#cursor;
    let count = 0;
    this.#depth.enter(cursor.position);
    cursor.enterObject();
    while (cursor.nextKey()) {
      if (jsonFields.find(cursor.text, cursor.textStart, cursor.textEnd) !== valuesField) {
        cursor.skip();
        continue;
      }
      if (passNull(cursor)) continue;
      cursor.enterArray();
      while (cursor.nextElement()) {
        if (sink === undefined && count > 0) this.#out.byte(0x2c);
        count++;
        if (kind === arrayValueField) {
          this.#pairValue(undefined);
        } else {
          this.#pair(sink, true);
        }
      }
    }
    this.#depth.leave();
    return count;
  }

  #toText(kind: number): void {
    const cursor = this.#cursor;
    const out = this.#out;
    switch (kind) {
      case stringValueField:
      case boolValueField:
        this.#readPlain(kind);
        this.#show(cursor.text, cursor.textStart, cursor.textEnd);
        return;
      case intValueField:
      case doubleValueField:
        if (this.#readNumber(kind)) {
          this.#show(cursor.text, cursor.textStart, cursor.textEnd);
          return;
        }
        out.clear();
        this.#appendNumber(kind);
        break;
      case bytesValueField:
        out.clear();
        this.#appendBytes();
        break;
      default:
        out.clear();
        this.#appendJson(kind);
    }
    this.#show(out.bytes, 0, out.size);
  }

  #appendJson(kind: number): void {
    const cursor = this.#cursor;
    const out = this.#out;
    switch (kind) {
      case stringValueField:
        this.#readPlain(kind);
        appendJsonString(out, cursor.text, cursor.textStart, cursor.textEnd);
        break;
      case boolValueField:
        this.#readPlain(kind);
        out.append(cursor.text, cursor.textStart, cursor.textEnd);
        break;
      case intValueField:
      case doubleValueField:
        this.#appendJsonNumber(kind);
        break;
      case bytesValueField:
        out.byte(0x22);
        this.#appendBytes();
        out.byte(0x22);
        break;
      case arrayValueField:
        out.byte(0x5b);
        this.#items(kind);
        out.byte(0x5d);
        break;
      case kvlistValueField:
        out.byte(0x7b);
        this.#items(kind);
        out.byte(0x7d);
        break;
      default:
        out.ascii('null');
    }
  }

  /** Reads a string or a boolean. */
  #readPlain(field: number): void {
    const cursor = this.#cursor;
    const kind = cursor.readScalar();
    const isExpected =
      field === stringValueField ? kind === jsonString : kind === jsonTrue || kind === jsonFalse;
    if (!isExpected)
      throw malformedBody('a value is not of the kind its name says', cursor.position);
  }

  /** Reads a number, which may stand in a string; tells whether its text is in canonical form already. */
  #readNumber(field: number): boolean {
    const cursor = this.#cursor;
    const kind = cursor.readScalar();
    if (kind !== jsonNumber && kind !== jsonString) {
      throw malformedBody('a value is not of the kind its name says', cursor.position);
    }
    return field === intValueField
      ? isCanonicalInteger(cursor)
      : isShortestDecimal(cursor.text, cursor.textStart, cursor.textEnd);
  }

  #appendNumber(field: number): void {
    if (field === intValueField) {
      this.#out.ascii(integerText(this.#cursor));
    } else {
      appendDouble(this.#out, doubleOf(this.#cursor));
    }
  }

  /** JSON has no form for the doubles that are no numbers; they become strings. */
  #appendJsonNumber(field: number): void {
    const cursor = this.#cursor;
    if (this.#readNumber(field)) {
      this.#out.append(cursor.text, cursor.textStart, cursor.textEnd);
    } else if (field === intValueField || Number.isFinite(doubleOf(cursor))) {
      this.#appendNumber(field);
    } else {
      this.#out.ascii(`"${doubleOf(cursor)}"`);
    }
  }

  #appendBytes(): void {
    const cursor = this.#cursor;
    const isText = cursor.readScalar() === jsonString;
    const { text, textStart, textEnd } = cursor;
    if (!isText || !appendNormalBase64(this.#out, text, textStart, textEnd)) {
      throw malformedBody('expected base64 text', cursor.position);
    }
  }

  #show(bytes: Uint8Array, start: number, end: number): void {
    this.text = bytes;
    this.textStart = start;
    this.textEnd = end;
  }
}

/** Passes a null; false for anything else, which stays in front of the cursor. */
export function passNull(cursor: JsonCursor): boolean {
  if (cursor.peek() !== jsonNull) return false;
  cursor.readScalar();
  return true;
}
