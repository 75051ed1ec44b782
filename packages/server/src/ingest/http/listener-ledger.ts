import type { ErrorCode } from '@varve/contract';
import type { IngestOutcome } from './ingest-port.ts';

/** The account of one listener. `received = stored + deduplicated + Σ rejected` at any time. */
export interface ListenerAccount {
  readonly listener: string;
  readonly accepting: boolean;
  /** When events were stored last, milliseconds since the epoch. */
  readonly lastEventAtMs: number | undefined;
  readonly received: number;
  readonly stored: number;
  readonly deduplicated: number;
  readonly rejected: Readonly<Record<string, number>>;
  /** Requests answered, and those refused as a whole before their events were counted, by error code. */
  readonly requests: number;
  readonly rejectedRequests: Readonly<Record<string, number>>;
  /** Clients that went away before their body was complete. */
  readonly disconnected: number;
}

export class ListenerLedger {
  #received = 0;
  #stored = 0;
  #deduplicated = 0;
  #requests = 0;
  #disconnected = 0;
  #lastEventAtMs: number | undefined;
  readonly #rejected = new Map<string, number>();
  readonly #rejectedRequests = new Map<string, number>();

  noteOutcome(outcome: Omit<IngestOutcome, 'reply'>, nowMs: number): void {
    this.#received += outcome.received;
    this.#stored += outcome.stored;
    this.#deduplicated += outcome.deduplicated;
    for (const [reason, count] of Object.entries(outcome.rejected)) {
      this.#rejected.set(reason, (this.#rejected.get(reason) ?? 0) + count);
    }
    if (outcome.stored > 0) this.#lastEventAtMs = nowMs;
    if (outcome.requestError !== undefined) this.noteRejectedRequest(outcome.requestError);
  }

  /** Messages that were received and lost before they could be decoded. */
  noteLost(code: ErrorCode, count: number): void {
    this.#received += count;
    this.#rejected.set(code, (this.#rejected.get(code) ?? 0) + count);
  }

  noteRejectedRequest(code: ErrorCode): void {
    this.#rejectedRequests.set(code, (this.#rejectedRequests.get(code) ?? 0) + 1);
  }

  noteRequest(): void {
    this.#requests++;
  }

  noteDisconnect(): void {
    this.#disconnected++;
  }

  account(listener: string, isAccepting: boolean): ListenerAccount {
    return {
      listener,
      accepting: isAccepting,
      lastEventAtMs: this.#lastEventAtMs,
      received: this.#received,
      stored: this.#stored,
      deduplicated: this.#deduplicated,
      rejected: Object.fromEntries(this.#rejected),
      requests: this.#requests,
      rejectedRequests: Object.fromEntries(this.#rejectedRequests),
      disconnected: this.#disconnected,
    };
  }
}
