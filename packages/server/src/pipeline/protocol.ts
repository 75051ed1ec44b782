import type { NodeError } from '../base/errors.ts';
import type { RawEventBuilder } from '../columns/index.ts';

/**
 * One received request as it crosses from the listener (main thread) to the ingest worker. Plain data: the body
 * is transferred, not copied.
 */
export interface IngestRequest {
  /** Which `Protocol` decodes it. */
  readonly protocol: string;
  /** Listener name in the ledger, `otlp_http`. */
  readonly listener: string;
  readonly tenant: string;
  readonly method: string;
  /** Path without query, one leading slash, no doubled or trailing ones. */
  readonly path: string;
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** As received, still compressed. */
  readonly body: Uint8Array;
  /** Limit of the decompressed body. */
  readonly maxBodyBytes: number;
}

export interface IngestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}

/**
 * What a decoder made of one request. `received = stored + deduplicated + Σ rejected`, where `stored` is the
 * number of rows it left in the builder.
 */
export interface DecodedRequest {
  readonly received: number;
  readonly stored: number;
  readonly deduplicated: number;
  /** By reason, an error code of the contract. */
  readonly rejected: Readonly<Record<string, number>>;
  /**
   * True when the batch was refused after its events had been counted: `stored` is 0 then, and the caller rolls
   * builder and dedup window back as if `decode` had thrown.
   */
  readonly isRolledBack?: boolean;
  /** Called after the stored events are durable. */
  reply(): IngestReply;
}

/**
 * A wire protocol inside the ingest worker: bytes to columns, and back to that protocol's own answers.
 * `decode` sees the decompressed body and a builder on which `beginRequest` was called. It throws `NodeError` to
 * reject the whole request; the caller has marked builder and dedup window before and rolls both back, so nothing
 * of the request remains.
 */
export interface Protocol {
  readonly name: string;
  decode(request: IngestRequest, body: Uint8Array, builder: RawEventBuilder): DecodedRequest;
  /** The protocol's own form of a whole-request failure; used on the main thread too, before the body is read. */
  replyToError(error: NodeError, request: Omit<IngestRequest, 'body'>): IngestReply;
}
