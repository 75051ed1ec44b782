import { NodeError } from '../../base/errors.ts';
import { type AttributeSink, ByteBuffer, FieldNames } from '../../codec/index.ts';
import {
  eventDuplicate,
  eventOutOfTime,
  type RawEventBuilder,
  type Utf8Column,
} from '../../columns/index.ts';
import {
  FieldSeverity,
  findLevelField,
  HeldField,
  LineSeverity,
  noRank,
  SeverityMemo,
} from '../event-field/index.ts';
import type { EventDefaults } from './event-defaults.ts';

const encoder = new TextEncoder();
const idPrefix = encoder.encode('hec:');
const hostKey = encoder.encode('host.name');
const sourcetypeKey = encoder.encode('sourcetype');
const indexKey = encoder.encode('index');
const underscore = 0x5f;

/**
 * Members of an event that are its message, most wanted first. `line` is that of the Docker log driver; a message
 * with members of its own comes from loggers for Node.js.
 */
const messageNames = ['message', 'msg', 'log', 'line', 'message.msg', 'message.message'] as const;
const messageKeys = messageNames.map((name) => encoder.encode(name));
const messageRanks = new FieldNames(
  Object.fromEntries(messageNames.map((name, index) => [name, index + 1])),
);

/** A text that outlasts what it was read from. */
class KeptText {
  readonly #copy = new ByteBuffer(64);
  isKept = false;

  get bytes(): Uint8Array {
    return this.#copy.bytes;
  }

  get size(): number {
    return this.#copy.size;
  }

  clear(): void {
    this.isKept = false;
  }

  keep(bytes: Uint8Array, start: number, end: number): void {
    this.isKept = true;
    this.#copy.clear();
    this.#copy.append(bytes, start, end);
  }
}

/**
 * One event on its way into the builder. Calls per event: `begin`; the metadata, the body and attributes in any
 * order, each kind of metadata once; `finish`.
 */
export class EventWriter implements AttributeSink {
  readonly #builder: RawEventBuilder;
  readonly #body: Utf8Column;
  readonly #defaults: EventDefaults;
  readonly #idField: Uint8Array | undefined;
  readonly #severity: FieldSeverity;
  readonly #lineSeverity: LineSeverity;
  readonly #sourcetype = new KeptText();
  readonly #message = new HeldField();
  #hasBody = false;
  #hasHost = false;
  #hasSource = false;
  #hasIndex = false;
  #hasId = false;
  #row = 0;
  /** While the members of a structured event come in: one of them may be its message. */
  isInEvent = false;
  received = 0;
  deduplicated = 0;

  constructor(options: {
    readonly builder: RawEventBuilder;
    readonly defaults: EventDefaults;
    /** Name of the field that holds a stable id. */
    readonly idField: Uint8Array | undefined;
  }) {
    const memo = new SeverityMemo();
    this.#builder = options.builder;
    this.#body = options.builder.batch.utf8('body');
    this.#defaults = options.defaults;
    this.#idField = options.idField;
    this.#severity = new FieldSeverity(memo);
    this.#lineSeverity = new LineSeverity(memo);
  }

  begin(): void {
    this.#severity.clear();
    this.#sourcetype.clear();
    this.#message.rank = noRank;
    this.#hasBody = false;
    this.#hasHost = false;
    this.#hasSource = false;
    this.#hasIndex = false;
    this.#hasId = false;
    this.isInEvent = false;
    this.#row = this.#builder.rows;
    this.#builder.begin();
  }

  get hasBody(): boolean {
    return this.#hasBody;
  }

  get hasMessage(): boolean {
    return this.#message.isHeld;
  }

  body(bytes: Uint8Array, start: number, end: number): void {
    this.#hasBody = true;
    this.#builder.setBody(bytes, start, end);
  }

  host(bytes: Uint8Array, start: number, end: number): void {
    this.#hasHost = true;
    this.#builder.attribute(hostKey, 0, hostKey.length, bytes, start, end);
  }

  source(bytes: Uint8Array, start: number, end: number): void {
    this.#hasSource = true;
    this.#builder.setSource(bytes, start, end);
  }

  sourcetype(bytes: Uint8Array, start: number, end: number): void {
    this.#sourcetype.keep(bytes, start, end);
    this.#builder.attribute(sourcetypeKey, 0, sourcetypeKey.length, bytes, start, end);
  }

  index(bytes: Uint8Array, start: number, end: number): void {
    this.#hasIndex = true;
    this.#builder.attribute(indexKey, 0, indexKey.length, bytes, start, end);
  }

  time(high: number, low: number): void {
    this.#builder.setTime(high, low);
  }

  attribute(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    if (valueStart < valueEnd) {
      const span = { start: valueStart, end: valueEnd };
      if (this.#isId(key, keyStart, keyEnd) && !this.#hasId) {
        this.#hasId = true;
        this.#builder.setIdempotencyKey(idPrefix, value, valueStart, valueEnd);
        return;
      }
      const field = findLevelField(key, keyStart, keyEnd);
      if (field !== 0 && this.#severity.note(field, value, valueStart, valueEnd)) return;
      const rank = this.isInEvent ? messageRanks.find(key, keyStart, keyEnd) - 1 : -1;
      if (rank >= 0 && rank < this.#message.rank) {
        if (this.#message.isHeld) this.#message.giveBack(this.#builder);
        this.#message.hold(rank, messageKeys[rank]!, value, span);
        return;
      }
    }
    this.#builder.attribute(key, keyStart, keyEnd, value, valueStart, valueEnd);
  }

  attributeNull(key: Uint8Array, keyStart: number, keyEnd: number): void {
    this.#builder.attributeNull(key, keyStart, keyEnd);
  }

  /** @throws NodeError `ingest_timestamp_out_of_range` and the caps of the builder */
  finish(): void {
    const builder = this.#builder;
    this.#addDefaults();
    if (this.#message.isHeld) {
      const { value } = this.#message;
      this.body(value.bytes, 0, value.size);
    }
    const body = this.#body;
    const severity =
      this.#severity.severity ||
      this.#lineSeverity.severityOf(body.data, body.start(this.#row), body.end(this.#row));
    builder.setSeverity(severity);
    this.#addService();
    const outcome = builder.end();
    if (outcome === eventOutOfTime) {
      throw new NodeError(
        'ingest_timestamp_out_of_range',
        'the time of the event is outside the allowed range; correct the clock of the sender',
      );
    }
    this.received++;
    if (outcome === eventDuplicate) this.deduplicated++;
  }

  #isId(key: Uint8Array, start: number, end: number): boolean {
    const name = this.#idField;
    if (name === undefined || name.length !== end - start) return false;
    for (let at = 0; at < name.length; at++) if (name[at] !== key[start + at]) return false;
    return true;
  }

  #addDefaults(): void {
    const { host, source, sourcetype, index } = this.#defaults;
    if (!this.#hasHost && host !== undefined) this.host(host, 0, host.length);
    if (!this.#hasSource && source !== undefined) this.source(source, 0, source.length);
    if (!this.#hasIndex && index !== undefined) this.index(index, 0, index.length);
    if (!this.#sourcetype.isKept && sourcetype !== undefined) {
      this.sourcetype(sourcetype, 0, sourcetype.length);
    }
  }

  /** Without an attribute that names the service the source type does, unless it is one of a format (`_json`). */
  #addService(): void {
    const { isKept, bytes, size } = this.#sourcetype;
    if (!isKept || bytes[0] === underscore || this.#builder.hasService) return;
    this.#builder.setService(bytes, 0, size);
  }
}
