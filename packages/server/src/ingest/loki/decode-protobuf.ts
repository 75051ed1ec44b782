import { ProtobufReader, tagOf, wireBytes, wireVarint, writeTimestamp } from '../../codec/index.ts';
import type { EntryWriter } from './entry-writer.ts';
import { LabelText } from './label-text.ts';

// grafana/loki, pkg/push/push.proto: the field numbers of each message.
const streamsTag = tagOf(1, wireBytes);
const labelsTag = tagOf(1, wireBytes);
const entriesTag = tagOf(2, wireBytes);
const timestampTag = tagOf(1, wireBytes);
const lineTag = tagOf(2, wireBytes);
const metadataTag = tagOf(3, wireBytes);
const secondsTag = tagOf(1, wireVarint);
const nanosTag = tagOf(2, wireVarint);
const nameTag = tagOf(1, wireBytes);
const valueTag = tagOf(2, wireBytes);

const nanosPerSecond = 1_000_000_000;

/** Decodes PushRequest in the protobuf encoding, snappy undone. */
export class ProtobufPushDecoder {
  readonly #reader = new ProtobufReader();
  /** A second view of the body: the repaired text of a name must outlast that of its value. */
  readonly #names = new ProtobufReader();
  readonly #labelText = new LabelText();
  readonly #time = { high: 0, low: 0 };

  decode(body: Uint8Array, writer: EntryWriter): void {
    const reader = this.#reader;
    this.#names.open(body);
    reader.open(body);
    while (reader.next()) {
      if (reader.tag === streamsTag) this.#stream(reader.start, reader.end, writer);
    }
  }

  /** Labels may follow their entries on the wire, so they are looked for first. */
  #stream(start: number, end: number, writer: EntryWriter): void {
    const reader = this.#reader;
    let hasLabels = false;
    writer.beginStream();
    reader.enter(start, end);
    while (reader.next()) {
      if (reader.tag !== labelsTag || hasLabels) continue;
      hasLabels = true;
      reader.readText();
      this.#labelText.read(reader.text, reader.textStart, reader.textEnd, writer.labels);
    }
    reader.leave();
    reader.enter(start, end);
    while (reader.next()) {
      if (reader.tag === entriesTag) this.#entry(writer);
    }
    reader.leave();
  }

  #entry(writer: EntryWriter): void {
    const reader = this.#reader;
    writer.begin();
    reader.enter(reader.start, reader.end);
    while (reader.next()) {
      switch (reader.tag) {
        case timestampTag:
          this.#timestamp(writer);
          break;
        case lineTag:
          reader.readText();
          writer.line(reader.text, reader.textStart, reader.textEnd);
          break;
        case metadataTag:
          this.#metadata(writer);
          break;
      }
    }
    reader.leave();
    writer.finish();
  }

  #timestamp(writer: EntryWriter): void {
    const reader = this.#reader;
    const time = this.#time;
    let seconds = 0;
    let nanos = 0;
    reader.enter(reader.start, reader.end);
    while (reader.next()) {
      if (reader.tag === secondsTag) {
        seconds = reader.high * 0x100000000 + (reader.low >>> 0);
      } else if (reader.tag === nanosTag) {
        nanos = reader.low;
      }
    }
    reader.leave();
    const carry = Math.floor(nanos / nanosPerSecond);
    writeTimestamp(seconds + carry, nanos - carry * nanosPerSecond, time);
    writer.timeHigh = time.high;
    writer.timeLow = time.low;
  }

  #metadata(writer: EntryWriter): void {
    const reader = this.#reader;
    const names = this.#names;
    let nameStart = 0;
    let nameEnd = 0;
    let valueStart = 0;
    let valueEnd = 0;
    reader.enter(reader.start, reader.end);
    while (reader.next()) {
      if (reader.tag === nameTag) {
        nameStart = reader.start;
        nameEnd = reader.end;
      } else if (reader.tag === valueTag) {
        valueStart = reader.start;
        valueEnd = reader.end;
      }
    }
    reader.leave();
    names.readTextOf(nameStart, nameEnd);
    reader.readTextOf(valueStart, valueEnd);
    writer.attribute(
      names.text,
      names.textStart,
      names.textEnd,
      reader.text,
      reader.textStart,
      reader.textEnd,
    );
  }
}
