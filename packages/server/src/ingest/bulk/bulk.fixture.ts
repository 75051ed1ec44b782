import { tableFromIPC } from 'apache-arrow';
import { systemClock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import {
  encodeRecordBatch,
  encodeSchemaMessage,
  endOfStream,
  type EventLimits,
  RawEventBuilder,
  rawEventsSchema,
  type TimestampPolicy,
} from '../../columns/index.ts';
import type { DecodedRequest, IngestReply, IngestRequest } from '../../pipeline/index.ts';
import { decompress, type IngestOutcome, type IngestPort } from '../http/index.ts';
import { createBulkProtocol } from './protocol.ts';

export const nowNs = 1_767_323_045_000_000_000n;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface StoredEvent {
  readonly timestamp_ns: bigint;
  readonly source: string;
  readonly service: string;
  readonly body: string | null;
  readonly idempotency_key: string | null;
  readonly attributes: Readonly<Record<string, string | null>>;
  readonly host: string | null;
  readonly env: string | null;
  readonly namespace: string | null;
  readonly tenant: string;
}

export interface RigOptions {
  readonly rejection?: 'request' | 'items';
  readonly limits?: Partial<EventLimits>;
  readonly timestamps?: Partial<TimestampPolicy>;
}

export interface SendOptions {
  readonly path?: string;
  readonly query?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the ingest worker does with a request, without log and threads. */
export class BulkRig implements IngestPort {
  readonly protocol;
  readonly builder: RawEventBuilder;
  readonly #seen: string[] = [];
  isOpen = true;
  /** Requests that reached the port. */
  submitted = 0;

  constructor(options: RigOptions = {}) {
    this.protocol = createBulkProtocol({
      rejection: options.rejection ?? 'request',
      clock: { ...systemClock, monotonicMs: () => 0 },
    });
    this.builder = new RawEventBuilder({
      limits: {
        maxEventBytes: 10_000,
        maxAttributes: 100,
        maxBatchBytes: 1 << 30,
        ...options.limits,
      },
      timestamps: {
        maxFutureNs: 1_000_000_000n,
        maxAgeNs: undefined,
        action: 'clamp',
        ...options.timestamps,
      },
      dedup: {
        insert: (_tenant, _tenantSpan, id, { start, end }) => {
          const key = decoder.decode(id.subarray(start, end));
          if (this.#seen.includes(key)) return false;
          this.#seen.push(key);
          return true;
        },
      },
    });
  }

  get seen(): readonly string[] {
    return this.#seen;
  }

  /** Empties the dedup window. */
  forget(): void {
    this.#seen.length = 0;
  }

  request(options: SendOptions = {}): IngestRequest {
    return {
      protocol: 'bulk',
      listener: 'bulk',
      tenant: 'default',
      method: options.method ?? 'POST',
      path: options.path ?? '/_bulk',
      query: options.query ?? '',
      headers: options.headers ?? {},
      body: new Uint8Array(0),
      maxBodyBytes: 1 << 20,
    };
  }

  /** Throws what the decoder throws, after rolling back as the worker does. */
  decode(body: string | Uint8Array, options: SendOptions = {}): DecodedRequest {
    const bytes = typeof body === 'string' ? encoder.encode(body) : body;
    return this.#decode(this.request(options), bytes);
  }

  send(body: string | Uint8Array, options: SendOptions = {}): { status: number; body: string } {
    const request = this.request(options);
    let reply: IngestReply;
    try {
      reply = this.decode(body, options).reply();
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      reply = this.protocol.replyToError(error, request);
    }
    const text = typeof reply.body === 'string' ? reply.body : decoder.decode(reply.body);
    return { status: reply.status, body: text };
  }

  isAccepting(): boolean {
    return this.isOpen;
  }

  async submit(request: IngestRequest): Promise<IngestOutcome> {
    this.submitted++;
    await Promise.resolve();
    try {
      const encoding = request.headers['content-encoding'];
      const decoded = this.#decode(
        request,
        decompress(request.body, encoding, request.maxBodyBytes),
      );
      return { ...decoded, reply: decoded.reply() };
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const reply = this.protocol.replyToError(error, request);
      return {
        received: 0,
        stored: 0,
        deduplicated: 0,
        rejected: {},
        reply,
        requestError: error.code,
      };
    }
  }

  rows(): readonly StoredEvent[] {
    const pieces = [
      encodeSchemaMessage(rawEventsSchema),
      ...encodeRecordBatch(this.builder.batch),
      endOfStream,
    ];
    return tableFromIPC(Buffer.concat(pieces))
      .toArray()
      .map((row) => {
        const plain = row.toJSON() as Record<string, unknown> & StoredEvent;
        const entries: unknown = plain.attributes;
        return { ...plain, attributes: Object.fromEntries(entries as Iterable<[string, string]>) };
      });
  }

  #decode(request: IngestRequest, body: Uint8Array): DecodedRequest {
    const rows = this.builder.rows;
    const seen = this.#seen.length;
    const rollBack = (): void => {
      this.builder.batch.truncate(rows);
      this.#seen.length = seen;
    };
    this.builder.beginRequest({
      nowNs,
      tenant: encoder.encode(request.tenant),
      source: encoder.encode(request.listener),
    });
    try {
      const decoded = this.protocol.decode(request, body, this.builder);
      if (decoded.isRolledBack === true) rollBack();
      return decoded;
    } catch (error) {
      rollBack();
      throw error;
    }
  }
}
