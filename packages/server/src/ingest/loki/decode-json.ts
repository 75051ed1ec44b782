import {
  FieldNames,
  JsonCursor,
  JsonFlattener,
  jsonArray,
  jsonNull,
  jsonNumber,
  jsonObject,
  jsonString,
  malformedBody,
  parseTimestamp,
} from '../../codec/index.ts';
import type { EntryWriter } from './entry-writer.ts';
import { LabelText } from './label-text.ts';

const streamsField = 1;
const labelsField = 2;
const entriesField = 3;
const timeField = 4;
const lineField = 5;
const metadataField = 6;

/** The members of the push format and of the one before it (`labels`, `entries`), which may be mixed. */
const fields = new FieldNames({
  streams: streamsField,
  stream: labelsField,
  labels: labelsField,
  values: entriesField,
  entries: entriesField,
  ts: timeField,
  timestamp: timeField,
  line: lineField,
  structuredMetadata: metadataField,
});

/** Decodes the JSON encoding (grafana.com/docs/loki, Ingest logs) and that of the legacy push path. */
export class JsonPushDecoder {
  readonly #cursor = new JsonCursor();
  readonly #flattener = new JsonFlattener(this.#cursor);
  readonly #labelText = new LabelText();
  readonly #time = { high: 0, low: 0 };

  decode(body: Uint8Array, writer: EntryWriter): void {
    const cursor = this.#cursor;
    cursor.open(body);
    cursor.enterObject();
    while (cursor.nextKey()) {
      if (this.#field() !== streamsField) {
        cursor.skip();
      } else if (!this.#passNull()) {
        cursor.enterArray();
        while (cursor.nextElement()) this.#stream(writer);
      }
    }
    cursor.expectEnd();
  }

  #field(): number {
    const { text, textStart, textEnd } = this.#cursor;
    return fields.find(text, textStart, textEnd);
  }

  #passNull(): boolean {
    if (this.#cursor.peek() !== jsonNull) return false;
    this.#cursor.readScalar();
    return true;
  }

  /** Entries that stand before their labels are passed and visited again behind them. */
  #stream(writer: EntryWriter): void {
    const cursor = this.#cursor;
    let hasLabels = false;
    let earlyEntries: number[] | undefined;
    writer.beginStream();
    cursor.enterObject();
    while (cursor.nextKey()) {
      const field = this.#field();
      if (field === labelsField && !hasLabels) {
        hasLabels = true;
        this.#labels(writer);
      } else if (field === entriesField && hasLabels) {
        this.#entries(writer);
      } else {
        if (field === entriesField) (earlyEntries ??= []).push(cursor.position);
        cursor.skip();
      }
    }
    if (earlyEntries === undefined) return;
    const behind = cursor.position;
    for (const position of earlyEntries) {
      cursor.revisit(position);
      this.#entries(writer);
    }
    cursor.revisit(behind);
  }

  #labels({ labels }: EntryWriter): void {
    const cursor = this.#cursor;
    switch (cursor.peek()) {
      case jsonObject:
        this.#flattener.object(labels);
        return;
      case jsonString:
        cursor.readScalar();
        this.#labelText.read(cursor.text, cursor.textStart, cursor.textEnd, labels);
        return;
      case jsonNull:
        cursor.readScalar();
        return;
      default:
        throw malformedBody('expected the labels of a stream', cursor.position);
    }
  }

  #entries(writer: EntryWriter): void {
    const cursor = this.#cursor;
    if (this.#passNull()) return;
    cursor.enterArray();
    while (cursor.nextElement()) {
      writer.begin();
      if (cursor.peek() === jsonArray) {
        this.#entryTuple(writer);
      } else {
        this.#entryObject(writer);
      }
      writer.finish();
    }
  }

  /** `["<time>", "<line>"]`, and structured metadata as a third element. */
  #entryTuple(writer: EntryWriter): void {
    const cursor = this.#cursor;
    const start = cursor.position;
    cursor.enterArray();
    let count = 0;
    for (; cursor.nextElement(); count++) {
      if (count === 0) {
        this.#timestamp(writer);
      } else if (count === 1) {
        this.#line(writer);
      } else if (count === 2) {
        this.#metadata(writer);
      } else {
        cursor.skip();
      }
    }
    if (count < 2) throw malformedBody('an entry needs a time and a line', start);
  }

  #entryObject(writer: EntryWriter): void {
    const cursor = this.#cursor;
    cursor.enterObject();
    while (cursor.nextKey()) {
      switch (this.#field()) {
        case timeField:
          this.#timestamp(writer);
          break;
        case lineField:
          this.#line(writer);
          break;
        case metadataField:
          this.#metadata(writer);
          break;
        default:
          cursor.skip();
      }
    }
  }

  #timestamp(writer: EntryWriter): void {
    const cursor = this.#cursor;
    if (this.#passNull()) return;
    const kind = cursor.readScalar();
    const { text, textStart, textEnd } = cursor;
    const isText = kind === jsonString || kind === jsonNumber;
    if (!isText || !parseTimestamp(text, textStart, textEnd, this.#time)) {
      throw malformedBody('expected the time of an entry in nanoseconds', cursor.position);
    }
    writer.timeHigh = this.#time.high;
    writer.timeLow = this.#time.low;
  }

  /** Anything but a string is taken as its JSON text: to refuse it would lose the whole batch. */
  #line(writer: EntryWriter): void {
    const cursor = this.#cursor;
    const kind = cursor.peek();
    if (kind === jsonString) {
      cursor.readScalar();
    } else if (kind === jsonNull) {
      cursor.readScalar();
      return;
    } else {
      cursor.readCompact();
    }
    writer.line(cursor.text, cursor.textStart, cursor.textEnd);
  }

  #metadata(writer: EntryWriter): void {
    if (!this.#passNull()) this.#flattener.object(writer);
  }
}
