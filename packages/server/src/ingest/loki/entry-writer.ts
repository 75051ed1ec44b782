import { assert } from '../../base/assert.ts';
import type { AttributeSink } from '../../codec/index.ts';
import {
  eventDuplicate,
  eventOutOfTime,
  type RawEventBuilder,
  type Utf8Column,
} from '../../columns/index.ts';
import { FieldSeverity, findLevelField, LineSeverity, SeverityMemo } from '../event-field/index.ts';
import { type EntryIdentity, EntryKey, PairSetFingerprint } from './entry-key.ts';
import { StreamLabels } from './stream-labels.ts';

const encoder = new TextEncoder();
const idPrefix = encoder.encode('loki:');
const severityKey = encoder.encode('severity');

/**
 * One entry on its way into the builder, the same for both encodings. Calls per stream: `labels.begin`, then its
 * attributes; per entry: `begin`; `line`, time and structured metadata (the attributes) in any order; `finish`.
 */
export class EntryWriter implements AttributeSink {
  readonly labels: StreamLabels;
  received = 0;
  deduplicated = 0;
  outOfTime = 0;

  // Time of the entry as halves of int64 nanoseconds; 0 is "not set".
  timeHigh = 0;
  timeLow = 0;

  readonly #metadata = new PairSetFingerprint();
  readonly #hasKeys: boolean;
  readonly #key = new EntryKey();
  readonly #identity: { -readonly [Name in keyof EntryIdentity]: EntryIdentity[Name] };
  readonly #severity: FieldSeverity;
  readonly #lineSeverity: LineSeverity;
  #builder: RawEventBuilder | undefined;
  #body: Utf8Column | undefined;
  #row = 0;
  #hasLine = false;

  /** `hasKeys`: whether entries get a stable id. */
  constructor(options: { readonly hasKeys: boolean }) {
    const memo = new SeverityMemo();
    this.#hasKeys = options.hasKeys;
    this.#severity = new FieldSeverity(memo);
    this.#lineSeverity = new LineSeverity(memo);
    this.labels = new StreamLabels(memo);
    const { fingerprint: labels } = this.labels;
    this.#identity = { labels, metadata: this.#metadata, timeHigh: 0, timeLow: 0 };
  }

  beginRequest(builder: RawEventBuilder): void {
    this.#builder = builder;
    this.#body = builder.batch.utf8('body');
    this.received = 0;
    this.deduplicated = 0;
    this.outOfTime = 0;
    this.#key.beginRequest();
    this.beginStream();
  }

  beginStream(): void {
    this.labels.begin(this.#target.limits, this.#hasKeys);
  }

  begin(): void {
    this.timeHigh = 0;
    this.timeLow = 0;
    this.#metadata.clear();
    this.#severity.clear();
    this.#hasLine = false;
    this.#row = this.#target.rows;
    this.#target.begin();
  }

  /** The line; only the first of an entry counts. */
  line(bytes: Uint8Array, start: number, end: number): void {
    if (this.#hasLine) return;
    this.#hasLine = true;
    this.#target.setBody(bytes, start, end);
  }

  attribute(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    if (this.#hasKeys) this.#metadata.add(key, keyStart, keyEnd, value, valueStart, valueEnd);
    const field = findLevelField(key, keyStart, keyEnd);
    if (field !== 0 && this.#severity.note(field, value, valueStart, valueEnd)) return;
    this.#target.attribute(key, keyStart, keyEnd, value, valueStart, valueEnd);
  }

  attributeNull(key: Uint8Array, keyStart: number, keyEnd: number): void {
    this.#target.attributeNull(key, keyStart, keyEnd);
  }

  finish(): void {
    const builder = this.#target;
    const { labels } = this;
    this.received++;
    // In protobuf an empty text and a missing one are the same.
    if (!this.#hasLine) builder.setBody(idPrefix, 0, 0);
    const hasTime = this.timeHigh !== 0 || this.timeLow !== 0;
    if (hasTime) builder.setTime(this.timeHigh, this.timeLow);
    this.#addSeverity();
    if (hasTime && this.#hasKeys) this.#addKey();
    const { attributes } = labels;
    if (labels.hasService) {
      builder.setService(attributes.values.data, labels.serviceStart, labels.serviceEnd);
    }
    builder.sharedAttributes(attributes);
    const outcome = builder.end();
    if (outcome === eventDuplicate) this.deduplicated++;
    if (outcome === eventOutOfTime) this.outOfTime++;
  }

  get #target(): RawEventBuilder {
    assert(this.#builder !== undefined, 'beginRequest comes before any entry');
    return this.#builder;
  }

  /** The level of the metadata, else of the labels, else of the line. */
  #addSeverity(): void {
    const builder = this.#target;
    const { labels } = this;
    const own = this.#severity.severity;
    const severity = own || labels.severity || this.#severityOfLine();
    builder.setSeverity(severity);
    const { withheldSeverity } = labels;
    if (own === 0 || withheldSeverity === undefined) return;
    builder.attributeText(severityKey, withheldSeverity);
  }

  #severityOfLine(): number {
    const body = this.#body;
    if (body === undefined) return 0;
    return this.#lineSeverity.severityOf(body.data, body.start(this.#row), body.end(this.#row));
  }

  #addKey(): void {
    const body = this.#body;
    if (body === undefined) return;
    const start = body.start(this.#row);
    const end = body.end(this.#row);
    const key = this.#key;
    this.#identity.timeHigh = this.timeHigh;
    this.#identity.timeLow = this.timeLow;
    key.write(this.#identity, body.data, start, end);
    this.#target.setIdempotencyKey(idPrefix, key.bytes, 0, key.bytes.length);
  }
}
