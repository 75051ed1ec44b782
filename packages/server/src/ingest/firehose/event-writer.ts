import { NodeError } from '../../base/errors.ts';
import {
  eventDuplicate,
  eventOutOfTime,
  type RawEventBuilder,
  type SharedAttributes,
} from '../../columns/index.ts';
import { LineSeverity, SeverityMemo } from '../event-field/index.ts';
import type { DeliveryStream } from './delivery-stream.ts';

const encoder = new TextEncoder();
const idPrefix = encoder.encode('firehose:');
const cloudWatchIdPrefix = encoder.encode('cloudwatch:');

/** Bounds what the ids and defaults of many tiny events take. */
const maxEvents = 1_000_000;

export interface Span {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** A request as its events see it. */
export interface Delivery {
  readonly requestId: string;
  readonly stream: DeliveryStream;
}

/** What the events of one log stream share; its attributes win over those of the request. */
export interface LogStream {
  readonly attributes: SharedAttributes;
  /** The service, unless an attribute names one. */
  readonly service: Uint8Array | undefined;
}

/** The events of one request on their way into the builder: what they share, their ids and the account of them. */
export class EventWriter {
  readonly builder: RawEventBuilder;
  readonly #stream: DeliveryStream;
  readonly #requestId: string;
  readonly #lineSeverity = new LineSeverity(new SeverityMemo());
  #record = 0;
  /** Place of the next event in its record. */
  #event = 0;
  #hasId = false;
  #severity = 0;

  // Time of events that tell none, in milliseconds; undefined: arrival.
  requestTimeMs: number | undefined;
  received = 0;
  deduplicated = 0;
  outOfTime = 0;

  constructor(builder: RawEventBuilder, { requestId, stream }: Delivery) {
    this.builder = builder;
    this.#requestId = requestId;
    this.#stream = stream;
  }

  beginRecord(index: number): void {
    this.#record = index;
    this.#event = 0;
  }

  begin(): void {
    const { builder } = this;
    const { name } = this.#stream;
    if (this.received === maxEvents) throw tooManyEvents();
    this.#hasId = false;
    this.#severity = 0;
    builder.begin();
    if (name !== undefined) builder.setSource(name, 0, name.length);
    if (this.requestTimeMs !== undefined) this.setTimeMs(this.requestTimeMs);
  }

  setTimeMs(timeMs: number): void {
    this.builder.setTimeNs(BigInt(Math.trunc(timeMs)) * 1_000_000n);
  }

  setCloudWatchId({ bytes, start, end }: Span): void {
    this.#hasId = true;
    this.builder.setIdempotencyKey(cloudWatchIdPrefix, bytes, start, end);
  }

  /** A line of text as the body, and the severity it tells. */
  setLine({ bytes, start, end }: Span): void {
    this.builder.setBody(bytes, start, end);
    this.#severity = this.#lineSeverity.severityOf(bytes, start, end);
  }

  end(logStream?: LogStream): void {
    const { builder } = this;
    const service = logStream?.service;
    if (!this.#hasId) this.#setId();
    builder.setSeverity(this.#severity);
    if (logStream !== undefined) builder.sharedAttributes(logStream.attributes);
    builder.sharedAttributes(this.#stream.attributes);
    if (service !== undefined && !builder.hasServiceAttribute) {
      builder.setService(service, 0, service.length);
    }
    const outcome = builder.end();
    this.#event++;
    this.received++;
    if (outcome === eventDuplicate) this.deduplicated++;
    if (outcome === eventOutOfTime) this.outOfTime++;
  }

  /**
   * Runs what writes one event; false when its bytes turn out to be malformed: nothing of the event is left then.
   * Other failures, such as a limit, are those of the whole request.
   */
  attempt(write: () => void): boolean {
    const row = this.builder.rows;
    try {
      write();
      return true;
    } catch (error) {
      if (!(error instanceof NodeError) || error.code !== 'ingest_malformed_body') throw error;
      this.builder.batch.truncate(row);
      return false;
    }
  }

  /** The request id stays the same when the sender repeats a request, and so does the place in it. */
  #setId(): void {
    const id = encoder.encode(`${this.#requestId}:${this.#record}:${this.#event}`);
    this.builder.setIdempotencyKey(idPrefix, id, 0, id.length);
  }
}

function tooManyEvents(): NodeError {
  return new NodeError(
    'ingest_batch_too_large',
    `a request may hold ${maxEvents} events; send smaller batches`,
    { details: { limit_events: maxEvents } },
  );
}
