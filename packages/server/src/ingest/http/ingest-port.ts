import type { ErrorCode } from '@varve/contract';
import type { IngestReply, IngestRequest } from '../../pipeline/index.ts';

/** What became of the events of one request. `received = stored + deduplicated + Σ rejected`. */
export interface IngestCounts {
  readonly received: number;
  readonly stored: number;
  readonly deduplicated: number;
  /** By reason, an error code of the contract. */
  readonly rejected: Readonly<Record<string, number>>;
}

export interface IngestOutcome extends IngestCounts {
  readonly reply: IngestReply;
  /** Set when the request failed as a whole before its events could be counted. */
  readonly requestError?: ErrorCode;
}

/** The way from a listener to the ingest worker. */
export interface IngestPort {
  /** False while data received but not yet published is at its limit, or the log cannot be written. */
  isAccepting(): boolean;
  /**
   * Decodes, stores and answers one request; settles after the stored events are durable. The listener gives the
   * body away: its buffer is not shared with anything and may be transferred.
   */
  submit(request: IngestRequest): Promise<IngestOutcome>;
}
