import { AttributeKeys } from './attribute-keys.ts';
import { hashBytes } from './byte-hash.ts';
import { ColumnBatch } from './column-batch.ts';
import { DimensionMapping, dimensionNames } from './dimension-mapping.ts';
import {
  batchTooLarge,
  eventTooLarge,
  type EventLimits,
  tooManyAttributes,
} from './event-limits.ts';
import type { Int64Column } from './int64-column.ts';
import type { MapColumn } from './map-column.ts';
import { rawEventsSchema } from './schema.ts';
import { severityText } from './severity.ts';
import type { SharedAttributes } from './shared-attributes.ts';
import { inRange, tooOld, type TimestampPolicy, TimeWindow } from './time-window.ts';
import type { Utf8Column } from './utf8-column.ts';

/** The dedup window as the builder sees it. `insert` is false for an id that is in the window already. */
export interface DedupProbe {
  insert(
    tenant: Uint8Array,
    tenantSpan: { readonly start: number; readonly end: number },
    id: Uint8Array,
    idSpan: { readonly start: number; readonly end: number },
  ): boolean;
}

/** What became of one event. A cap violation is not an outcome: it throws and rejects the whole batch. */
export const eventStored = 0;
export const eventDuplicate = 1;
/** Out of the time window with `ingest.timestamp_action: reject`. */
export const eventOutOfTime = 2;
export type EventOutcome = typeof eventStored | typeof eventDuplicate | typeof eventOutOfTime;

const encoder = new TextEncoder();
const unknownService = encoder.encode('unknown_service');
const severityKey = encoder.encode('severity');
const severityNumberKey = encoder.encode('severity_number');
const severityHash = hashBytes(severityKey, 0, severityKey.length);
const severityNumberHash = hashBytes(severityNumberKey, 0, severityNumberKey.length);
const duplicatePrefix = encoder.encode('duplicate.');
const resourcePrefix = encoder.encode('resource.');

const serviceDimension = dimensionNames.indexOf('service');
const noRank = 1 << 30;

/**
 * Writes events of `raw_events` as spans of request bytes, straight into Arrow columns. The decoders of all
 * protocols feed it; it owns the rules they share: limits, time window, dimensions, severity, key clashes and
 * de-duplication. Calls per event: `begin`, any setters once each, `attribute…` any number of times, `end`.
 */
export class RawEventBuilder {
  readonly batch = new ColumnBatch(rawEventsSchema);
  readonly limits: EventLimits;
  readonly #policy: TimestampPolicy;
  readonly #mapping: DimensionMapping;
  readonly #dedup: DedupProbe | undefined;

  readonly #time: Int64Column = this.batch.int64('timestamp_ns');
  readonly #source: Utf8Column = this.batch.utf8('source');
  readonly #service: Utf8Column = this.batch.utf8('service');
  readonly #body: Utf8Column = this.batch.utf8('body');
  readonly #id: Utf8Column = this.batch.utf8('idempotency_key');
  readonly #attributes: MapColumn = this.batch.map('attributes');
  readonly #tenant: Utf8Column = this.batch.utf8('tenant');
  readonly #dimensions: readonly Utf8Column[] = dimensionNames.map((name) => this.batch.utf8(name));

  // Defaults of the request.
  #window: TimeWindow;
  #requestTenant: Uint8Array = encoder.encode('default');
  #requestSource: Uint8Array = unknownService;
  #requestBytes = 0;

  // State of the event under construction.
  #row = 0;
  #firstEntry = 0;
  #derivedCount = 0;
  #derivedBytes = 0;
  #hasTime = false;
  #high = 0;
  #low = 0;
  readonly #keys = new AttributeKeys(this.#attributes.keys);
  readonly #dimensionEntry = new Int32Array(dimensionNames.length);
  readonly #dimensionRank = new Int32Array(dimensionNames.length);

  constructor(options: {
    limits: EventLimits;
    timestamps: TimestampPolicy;
    dimensions?: DimensionMapping;
    dedup?: DedupProbe;
  }) {
    this.limits = options.limits;
    this.#policy = options.timestamps;
    this.#mapping = options.dimensions ?? new DimensionMapping();
    this.#dedup = options.dedup;
    this.#window = new TimeWindow(0n, options.timestamps);
  }

  get rows(): number {
    return this.batch.rows;
  }

  /** Starts a request: its arrival time, tenant and default source hold for all its events. */
  beginRequest(request: { nowNs: bigint; tenant: Uint8Array; source: Uint8Array }): void {
    this.#window = new TimeWindow(request.nowNs, this.#policy);
    this.#requestTenant = request.tenant;
    this.#requestSource = request.source;
    this.#requestBytes = 0;
  }

  begin(): void {
    this.#row = this.batch.rows;
    this.#firstEntry = this.#attributes.entryStart(this.#row);
    this.#derivedCount = 0;
    this.#derivedBytes = 0;
    this.#hasTime = false;
    this.#keys.clear();
    for (let index = 0; index < dimensionNames.length; index++) this.#dimensionRank[index] = noRank;
  }

  /** Event time as 32-bit halves of int64 nanoseconds: `high` signed, `low` unsigned. Unset: arrival. */
  setTime(high: number, low: number): void {
    this.#hasTime = true;
    this.#high = high | 0;
    this.#low = low >>> 0;
  }

  setTimeNs(timeNs: bigint): void {
    const value = BigInt.asIntN(64, timeNs);
    this.setTime(Number(value >> 32n), Number(value & 0xffffffffn));
  }

  setBody(bytes: Uint8Array, start: number, end: number): void {
    this.#body.append(bytes, start, end);
  }

  setSource(bytes: Uint8Array, start: number, end: number): void {
    this.#source.append(bytes, start, end);
  }

  /** A service the protocol names itself; it beats the attributes that feed the dimension. */
  setService(bytes: Uint8Array, start: number, end: number): void {
    if (start < end) this.#service.append(bytes, start, end);
  }

  /** Whether the event names its service already, itself or by an attribute that feeds the dimension. */
  get hasService(): boolean {
    return this.#service.rows > this.#row || this.#dimensionRank[serviceDimension] !== noRank;
  }

  /** Whether an attribute of this event so far names the service. */
  get hasServiceAttribute(): boolean {
    return this.#dimensionRank[serviceDimension] !== noRank;
  }

  /** The stable id: `prefix` is its kind (`otlp:`), so ids of different kinds never meet. */
  setIdempotencyKey(prefix: Uint8Array, bytes: Uint8Array, start: number, end: number): void {
    this.#id.append(prefix, 0, prefix.length);
    this.#id.extendLast(bytes, start, end);
  }

  /** OTel SeverityNumber 1..24; anything else is ignored. Call after the event's own attributes. */
  setSeverity(severityNumber: number): void {
    const text = severityText(severityNumber);
    if (text === undefined) return;
    this.#derive(severityHash, severityKey, text.name);
    this.#derive(severityNumberHash, severityNumberKey, text.number);
  }

  /**
   * An attribute of ours rather than the sender's (severity, trace id): left out when the event has that name
   * already, and not counted against the limits, so a full event of the allowed size is never refused for it.
   */
  derivedAttribute(key: Uint8Array, value: Uint8Array): void {
    this.#derive(hashBytes(key, 0, key.length), key, value);
  }

  #derive(hash: number, key: Uint8Array, value: Uint8Array): void {
    if (!this.#keys.add(hash, key, 0, key.length)) return;
    this.#attributes.values.append(value, 0, value.length);
    this.#derivedCount++;
    this.#derivedBytes += key.length + value.length;
  }

  attribute(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    const hash = hashBytes(key, keyStart, keyEnd);
    this.#addKey(hash, key, keyStart, keyEnd, duplicatePrefix);
    this.#attributes.values.append(value, valueStart, valueEnd);
    this.#noteDimension(hash, key, keyStart, keyEnd);
  }

  attributeNull(key: Uint8Array, keyStart: number, keyEnd: number): void {
    this.#addKey(hashBytes(key, keyStart, keyEnd), key, keyStart, keyEnd, duplicatePrefix);
    this.#attributes.values.appendNull();
  }

  /** For keys and values that are constants of a decoder. */
  attributeText(key: Uint8Array, value: Uint8Array): void {
    this.attribute(key, 0, key.length, value, 0, value.length);
  }

  /**
   * Attributes that many events share (an OTLP resource, Loki labels). Call after the event's own: those win a
   * clash, and the shared one is kept under `resource.`.
   */
  sharedAttributes(shared: SharedAttributes): void {
    const own = this.#attributes.keys.rows - this.#firstEntry - this.#derivedCount;
    const hasRoom = own + shared.count <= this.limits.maxAttributes;
    if (hasRoom && this.#keys.areNew(shared)) {
      this.#appendAll(shared);
    } else {
      this.#appendEach(shared);
    }
  }

  /** The usual case: no key of the event is among them, so they are copied as they are. */
  #appendAll(shared: SharedAttributes): void {
    if (shared.count === 0) return;
    const firstEntry = this.#attributes.keys.rows;
    this.#keys.appendAll(shared);
    this.#attributes.values.appendAll(shared.values);
    for (const { index, dimension, rank } of shared.dimensions(this.#mapping)) {
      if (rank >= this.#dimensionRank[dimension]!) continue;
      this.#dimensionRank[dimension] = rank;
      this.#dimensionEntry[dimension] = firstEntry + index;
    }
  }

  #appendEach(shared: SharedAttributes): void {
    const { keys, values } = shared;
    for (let index = 0; index < shared.count; index++) {
      const hash = shared.hash(index);
      const start = keys.start(index);
      const end = keys.end(index);
      const isOwnName = this.#addKey(hash, keys.data, start, end, resourcePrefix);
      if (values.isNull(index)) {
        this.#attributes.values.appendNull();
      } else {
        this.#attributes.values.append(values.data, values.start(index), values.end(index));
        if (isOwnName) this.#noteDimension(hash, keys.data, start, end);
      }
    }
  }

  /**
   * Finishes the event. Throws `ingest_event_too_large` or `ingest_too_many_attributes`; the caller then
   * rolls the whole request back with `batch.truncate`.
   */
  end(): EventOutcome {
    const row = this.#row;
    const { keys, values } = this.#attributes;
    this.#fillService();
    this.#checkLimits();
    if (!this.#appendTime()) {
      this.batch.truncate(row);
      return eventOutOfTime;
    }
    for (let index = 0; index < dimensionNames.length; index++) {
      if (index !== serviceDimension) this.#fillDimension(index);
    }
    if (this.#source.rows === row) {
      this.#source.append(this.#requestSource, 0, this.#requestSource.length);
    }
    if (this.#body.rows === row) this.#body.appendNull();
    this.#tenant.append(this.#requestTenant, 0, this.#requestTenant.length);
    if (keys.rows !== values.rows)
      throw new RangeError('attribute keys and values are out of step');
    this.#attributes.finishRow();
    if (this.#id.rows === row) {
      this.#id.appendNull();
    } else if (!this.#isNewId(row)) {
      this.batch.truncate(row);
      return eventDuplicate;
    }
    return eventStored;
  }

  #isNewId(row: number): boolean {
    if (this.#dedup === undefined) return true;
    return this.#dedup.insert(
      this.#tenant.data,
      { start: this.#tenant.start(row), end: this.#tenant.end(row) },
      this.#id.data,
      { start: this.#id.start(row), end: this.#id.end(row) },
    );
  }

  #fillService(): void {
    if (this.#service.rows !== this.#row) return;
    this.#fillDimension(serviceDimension);
    if (!this.#service.isNull(this.#row)) return;
    this.#service.truncate(this.#row);
    this.#service.append(unknownService, 0, unknownService.length);
  }

  #fillDimension(dimension: number): void {
    const column = this.#dimensions[dimension]!;
    if (this.#dimensionRank[dimension] === noRank) {
      column.appendNull();
      return;
    }
    const values = this.#attributes.values;
    const entry = this.#dimensionEntry[dimension]!;
    column.append(values.data, values.start(entry), values.end(entry));
  }

  #checkLimits(): void {
    const row = this.#row;
    const { keys, values } = this.#attributes;
    const bodyBytes = this.#body.rows === row ? 0 : this.#body.end(row) - this.#body.start(row);
    const bytes =
      bodyBytes +
      (this.#service.end(row) - this.#service.start(row)) +
      (keys.sizeBytes - keys.start(this.#firstEntry)) +
      (values.sizeBytes - values.start(this.#firstEntry)) -
      this.#derivedBytes;
    if (bytes > this.limits.maxEventBytes) throw eventTooLarge(bytes, this.limits.maxEventBytes);
    this.#requestBytes += bytes;
    if (this.#requestBytes > this.limits.maxBatchBytes) {
      throw batchTooLarge(this.limits.maxBatchBytes);
    }
  }

  #appendTime(): boolean {
    const window = this.#window;
    if (!this.#hasTime) {
      this.#time.append(window.now.high, window.now.low);
      return true;
    }
    const position = window.check(this.#high, this.#low);
    if (position === inRange) {
      this.#time.append(this.#high, this.#low);
      return true;
    }
    if (this.#policy.action === 'reject') return false;
    const nearest = position === tooOld ? window.min : window.max;
    this.#time.append(nearest.high, nearest.low);
    return true;
  }

  /** Appends the key, under `clashPrefix` when the event has it already; tells whether the name is its own. */
  #addKey(
    hash: number,
    key: Uint8Array,
    start: number,
    end: number,
    clashPrefix: Uint8Array,
  ): boolean {
    const own = this.#attributes.keys.rows - this.#firstEntry - this.#derivedCount;
    if (own >= this.limits.maxAttributes) throw tooManyAttributes(this.limits.maxAttributes);
    if (this.#keys.add(hash, key, start, end)) return true;
    this.#keys.addPrefixed(clashPrefix, key, start, end);
    return false;
  }

  /** Remembers the entry just appended when it feeds a dimension better than what was seen so far. */
  #noteDimension(hash: number, key: Uint8Array, start: number, end: number): void {
    const source = this.#mapping.find(hash, key, start, end);
    if (source === undefined) return;
    const values = this.#attributes.values;
    const entry = values.rows - 1;
    if (values.start(entry) === values.end(entry)) return;
    if (source.rank >= this.#dimensionRank[source.dimension]!) return;
    this.#dimensionRank[source.dimension] = source.rank;
    this.#dimensionEntry[source.dimension] = entry;
  }
}
