import type { AttributeSink } from '../../codec/index.ts';
import {
  eventDuplicate,
  eventOutOfTime,
  type RawEventBuilder,
  severityOfName,
  severityText,
  SharedAttributes,
} from '../../columns/index.ts';
import { SharedAttributeSink } from './shared-attribute-sink.ts';
import { TextCell } from './text-cell.ts';

const encoder = new TextEncoder();
const uidKey = encoder.encode('log.record.uid');
const idPrefix = encoder.encode('otlp:');
const traceIdKey = encoder.encode('trace_id');
const spanIdKey = encoder.encode('span_id');
const traceFlagsKey = encoder.encode('trace_flags');
const eventNameKey = encoder.encode('event_name');
const severityTextKey = encoder.encode('severity_text');
const droppedCountKey = encoder.encode('dropped_attributes_count');
const flagTexts = Array.from({ length: 256 }, (_, flags) => encoder.encode(String(flags)));

/** A derived attribute does not count against the event limits, so what a sender names as such must be short. */
const derivedMaxBytes = 128;

function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}

/**
 * One LogRecord on its way into the builder, the same for both encodings (opentelemetry-proto logs/v1,
 * data model: opentelemetry.io/docs/specs/otel/logs/data-model). Calls per record: `begin`; attributes and
 * fields in any order; `finish`. Attributes go straight to the builder, other fields wait here for `finish`.
 */
export class RecordWriter implements AttributeSink {
  readonly scope: SharedAttributeSink;
  readonly resource: SharedAttributeSink;
  received = 0;
  deduplicated = 0;
  outOfTime = 0;

  // Fields of the record; 0 is "not set" in OTLP. Times are halves of unsigned nanoseconds, saturated to int64.
  timeHigh = 0;
  timeLow = 0;
  observedHigh = 0;
  observedLow = 0;
  severityNumber = 0;
  flags = 0;
  droppedAttributesCount = 0;
  hasTraceId = false;
  hasSpanId = false;
  /** Lower-case hexadecimal. */
  readonly traceId = new Uint8Array(32);
  readonly spanId = new Uint8Array(16);
  readonly severityText = new TextCell();
  readonly eventName = new TextCell();

  readonly #builder: RawEventBuilder;
  #hasUid = false;
  #hasBody = false;
  #namedSeverity: Uint8Array | undefined;
  #namedSeverityNumber = 0;

  constructor(builder: RawEventBuilder) {
    this.#builder = builder;
    this.scope = new SharedAttributeSink(new SharedAttributes(), builder.limits);
    this.resource = new SharedAttributeSink(new SharedAttributes(), builder.limits);
  }

  begin(): void {
    this.timeHigh = 0;
    this.timeLow = 0;
    this.observedHigh = 0;
    this.observedLow = 0;
    this.severityNumber = 0;
    this.flags = 0;
    this.droppedAttributesCount = 0;
    this.hasTraceId = false;
    this.hasSpanId = false;
    this.severityText.clear();
    this.eventName.clear();
    this.#hasUid = false;
    this.#hasBody = false;
    this.#builder.begin();
  }

  /** The body; only the first of a record counts. */
  body(bytes: Uint8Array, start: number, end: number): void {
    if (this.#hasBody) return;
    this.#hasBody = true;
    this.#builder.setBody(bytes, start, end);
  }

  attribute(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    if (keyEnd - keyStart === uidKey.length && !this.#hasUid && valueStart < valueEnd) {
      let at = 0;
      while (at < uidKey.length && key[keyStart + at] === uidKey[at]) at++;
      if (at === uidKey.length) {
        this.#hasUid = true;
        this.#builder.setIdempotencyKey(idPrefix, value, valueStart, valueEnd);
        return;
      }
    }
    this.#builder.attribute(key, keyStart, keyEnd, value, valueStart, valueEnd);
  }

  attributeNull(key: Uint8Array, keyStart: number, keyEnd: number): void {
    this.#builder.attributeNull(key, keyStart, keyEnd);
  }

  finish(): void {
    const builder = this.#builder;
    this.received++;
    if (this.timeHigh !== 0 || this.timeLow !== 0) {
      builder.setTime(this.timeHigh, this.timeLow);
    } else if (this.observedHigh !== 0 || this.observedLow !== 0) {
      builder.setTime(this.observedHigh, this.observedLow);
    }
    this.#addSeverity();
    if (this.hasTraceId) builder.derivedAttribute(traceIdKey, this.traceId);
    if (this.hasSpanId) builder.derivedAttribute(spanIdKey, this.spanId);
    const flags = this.flags & 0xff;
    if (flags !== 0) builder.derivedAttribute(traceFlagsKey, flagTexts[flags]!);
    if (this.eventName.isSet) this.#addSenderText(eventNameKey, this.eventName.value);
    if (this.droppedAttributesCount !== 0) {
      const count = encoder.encode(String(this.droppedAttributesCount >>> 0));
      builder.derivedAttribute(droppedCountKey, count);
    }
    builder.sharedAttributes(this.scope.attributes);
    builder.sharedAttributes(this.resource.attributes);
    const outcome = builder.end();
    if (outcome === eventDuplicate) this.deduplicated++;
    if (outcome === eventOutOfTime) this.outOfTime++;
  }

  #addSeverity(): void {
    const text = this.severityText;
    let number = this.severityNumber;
    if (text.isSet && severityText(number) === undefined) number = this.#severityOf(text.value);
    this.#builder.setSeverity(number);
    if (!text.isSet) return;
    const known = severityText(number);
    if (known === undefined || !isEqual(known.name, text.value)) {
      this.#addSenderText(severityTextKey, text.value);
    }
  }

  #severityOf(name: Uint8Array): number {
    if (name !== this.#namedSeverity) {
      this.#namedSeverity = name;
      const isName = name.length <= derivedMaxBytes;
      this.#namedSeverityNumber = isName ? severityOfName(new TextDecoder().decode(name)) : 0;
    }
    return this.#namedSeverityNumber;
  }

  #addSenderText(key: Uint8Array, value: Uint8Array): void {
    if (value.length <= derivedMaxBytes) {
      this.#builder.derivedAttribute(key, value);
    } else {
      this.#builder.attributeText(key, value);
    }
  }
}
