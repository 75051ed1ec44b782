import { isUtf8 } from 'node:buffer';
import {
  type AttributeSink,
  FieldNames,
  JsonCursor,
  JsonFlattener,
  malformedBody,
  parseTimestamp,
} from '../../codec/index.ts';
import type { RawEventBuilder } from '../../columns/index.ts';
import type { EntryReader } from './protocol.ts';

const timeField = 1;
const sourceField = 2;
const nameField = 3;
const errorField = 4;

const fields = new FieldNames({
  eventTime: timeField,
  eventSource: sourceField,
  eventName: nameField,
  errorCode: errorField,
});

const infoSeverity = 9;
const errorSeverity = 17;

/**
 * One record of CloudTrail: the service is the event source, the text the event name, and every field an attribute
 * (docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-event-reference-record-contents.html).
 */
export class CloudTrailReader implements EntryReader, AttributeSink {
  readonly #builder: RawEventBuilder;
  readonly #cursor = new JsonCursor();
  readonly #flattener = new JsonFlattener(this.#cursor);
  readonly #time = { high: 0, low: 0 };
  #seen = 0;
  #isFailed = false;

  constructor(builder: RawEventBuilder) {
    this.#builder = builder;
  }

  /** Behind the record that was read. */
  end = 0;

  /** @throws NodeError `ingest_malformed_body` */
  read(bytes: Uint8Array, start: number, end: number): void {
    const cursor = this.#cursor;
    cursor.openUnchecked(bytes);
    cursor.seek(start, end);
    this.#seen = 0;
    this.#isFailed = false;
    this.#flattener.object(this);
    this.end = cursor.position;
    if (!isUtf8(bytes.subarray(start, this.end))) throw malformedBody('no UTF-8', start);
    this.#builder.setSeverity(this.#isFailed ? errorSeverity : infoSeverity);
  }

  attribute(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    const field = fields.find(key, keyStart, keyEnd);
    if (field !== 0 && (this.#seen & (1 << field)) === 0) {
      this.#seen |= 1 << field;
      this.#note(field, value, { start: valueStart, end: valueEnd });
    }
    this.#builder.attribute(key, keyStart, keyEnd, value, valueStart, valueEnd);
  }

  attributeNull(key: Uint8Array, keyStart: number, keyEnd: number): void {
    this.#builder.attributeNull(key, keyStart, keyEnd);
  }

  #note(field: number, value: Uint8Array, { start, end }: { start: number; end: number }): void {
    switch (field) {
      case timeField:
        if (parseTimestamp(value, start, end, this.#time)) {
          this.#builder.setTime(this.#time.high, this.#time.low);
        }
        return;
      case sourceField:
        this.#builder.setService(value, start, end);
        return;
      case nameField:
        this.#builder.setBody(value, start, end);
        return;
      default:
        this.#isFailed = true;
    }
  }
}
