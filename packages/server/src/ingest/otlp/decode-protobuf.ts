import {
  ProtobufReader,
  tagOf,
  wireBytes,
  wireFixed32,
  wireFixed64,
  wireVarint,
  writeHexId,
} from '../../codec/index.ts';
import { ProtobufValue } from './protobuf-value.ts';
import type { RecordWriter } from './record-writer.ts';
import { scopeNameKey, scopeVersionKey } from './scope-keys.ts';
import type { SharedAttributeSink } from './shared-attribute-sink.ts';

// opentelemetry/proto/collector/logs/v1 and logs/v1: the field numbers of each message.
const resourceLogsTag = tagOf(1, wireBytes);
const resourceTag = tagOf(1, wireBytes);
const scopeLogsTag = tagOf(2, wireBytes);
const scopeTag = tagOf(1, wireBytes);
const logRecordsTag = tagOf(2, wireBytes);
const resourceAttributesTag = tagOf(1, wireBytes);
const scopeNameTag = tagOf(1, wireBytes);
const scopeVersionTag = tagOf(2, wireBytes);
const scopeAttributesTag = tagOf(3, wireBytes);

const timeTag = tagOf(1, wireFixed64);
const severityNumberTag = tagOf(2, wireVarint);
const severityTextTag = tagOf(3, wireBytes);
const bodyTag = tagOf(5, wireBytes);
const attributesTag = tagOf(6, wireBytes);
const droppedCountTag = tagOf(7, wireVarint);
const flagsTag = tagOf(8, wireFixed32);
const traceIdTag = tagOf(9, wireBytes);
const spanIdTag = tagOf(10, wireBytes);
const observedTimeTag = tagOf(11, wireFixed64);
const eventNameTag = tagOf(12, wireBytes);

const traceIdBytes = 16;
const spanIdBytes = 8;

/** Decodes ExportLogsServiceRequest in the protobuf encoding. */
export class ProtobufLogsDecoder {
  readonly #reader = new ProtobufReader();
  readonly #value = new ProtobufValue(this.#reader);

  decode(body: Uint8Array, writer: RecordWriter): void {
    const reader = this.#reader;
    this.#value.reset();
    reader.open(body);
    while (reader.next()) {
      if (reader.tag === resourceLogsTag) this.#resourceLogs(reader.start, reader.end, writer);
    }
  }

  /** A resource may follow its logs on the wire, and its parts may be spread: so it is looked for first. */
  #resourceLogs(start: number, end: number, writer: RecordWriter): void {
    const reader = this.#reader;
    writer.resource.clear();
    reader.enter(start, end);
    while (reader.next()) {
      if (reader.tag !== resourceTag) continue;
      this.#attributes(resourceAttributesTag, writer.resource);
    }
    reader.leave();
    reader.enter(start, end);
    while (reader.next()) {
      if (reader.tag === scopeLogsTag) this.#scopeLogs(reader.start, reader.end, writer);
    }
    reader.leave();
  }

  #scopeLogs(start: number, end: number, writer: RecordWriter): void {
    const reader = this.#reader;
    writer.scope.clear();
    reader.enter(start, end);
    while (reader.next()) {
      if (reader.tag === scopeTag) this.#scope(writer.scope);
    }
    reader.leave();
    reader.enter(start, end);
    while (reader.next()) {
      if (reader.tag === logRecordsTag) this.#logRecord(writer);
    }
    reader.leave();
  }

  #scope(scope: SharedAttributeSink): void {
    const reader = this.#reader;
    const { start, end } = reader;
    this.#scopeText(scopeNameTag, scopeNameKey, scope);
    reader.start = start;
    reader.end = end;
    this.#scopeText(scopeVersionTag, scopeVersionKey, scope);
    reader.start = start;
    reader.end = end;
    this.#attributes(scopeAttributesTag, scope);
  }

  #scopeText(tag: number, key: Uint8Array, scope: SharedAttributeSink): void {
    const reader = this.#reader;
    let hasText = false;
    reader.enter(reader.start, reader.end);
    while (reader.next()) {
      if (reader.tag !== tag) continue;
      reader.readText();
      hasText = reader.textEnd > reader.textStart;
    }
    reader.leave();
    if (!hasText) return;
    scope.attribute(key, 0, key.length, reader.text, reader.textStart, reader.textEnd);
  }

  /** The KeyValue fields named `tag` of the message whose span was read last. */
  #attributes(tag: number, sink: SharedAttributeSink): void {
    const reader = this.#reader;
    reader.enter(reader.start, reader.end);
    while (reader.next()) {
      if (reader.tag === tag) this.#value.attribute(reader.start, reader.end, sink);
    }
    reader.leave();
  }

  #logRecord(writer: RecordWriter): void {
    const reader = this.#reader;
    const value = this.#value;
    let bodyStart = -1;
    let bodyEnd = 0;
    writer.begin();
    reader.enter(reader.start, reader.end);
    while (reader.next()) {
      if (reader.tag === attributesTag) {
        value.attribute(reader.start, reader.end, writer);
      } else if (reader.tag === bodyTag) {
        bodyStart = reader.start;
        bodyEnd = reader.end;
      } else {
        this.#recordField(writer);
      }
    }
    reader.leave();
    if (bodyStart !== -1 && value.readText(bodyStart, bodyEnd)) {
      writer.body(value.text, value.textStart, value.textEnd);
    }
    writer.finish();
  }

  #recordField(writer: RecordWriter): void {
    const reader = this.#reader;
    switch (reader.tag) {
      case timeTag:
        writer.timeHigh = reader.high < 0 ? 0x7fffffff : reader.high;
        writer.timeLow = reader.high < 0 ? -1 : reader.low;
        break;
      case observedTimeTag:
        writer.observedHigh = reader.high < 0 ? 0x7fffffff : reader.high;
        writer.observedLow = reader.high < 0 ? -1 : reader.low;
        break;
      case severityNumberTag:
        writer.severityNumber = reader.high === 0 ? reader.low : 0;
        break;
      case severityTextTag:
        reader.readText();
        writer.severityText.set(reader.text, reader.textStart, reader.textEnd);
        break;
      case droppedCountTag:
        writer.droppedAttributesCount = reader.low;
        break;
      case flagsTag:
        writer.flags = reader.low;
        break;
      case traceIdTag:
        writer.hasTraceId =
          reader.end - reader.start === traceIdBytes &&
          writeHexId(writer.traceId, reader.bytes, reader.start, reader.end);
        break;
      case spanIdTag:
        writer.hasSpanId =
          reader.end - reader.start === spanIdBytes &&
          writeHexId(writer.spanId, reader.bytes, reader.start, reader.end);
        break;
      case eventNameTag:
        reader.readText();
        writer.eventName.set(reader.text, reader.textStart, reader.textEnd);
        break;
      default:
    }
  }
}
