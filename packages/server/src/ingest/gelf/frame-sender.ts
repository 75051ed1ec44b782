import type { ErrorCode } from '@varve/contract';
import { errorCodes } from '@varve/contract';
import type { Clock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import type { IngestPort, InflightBudget, ListenerLedger, ListenerLog } from '../http/index.ts';
import { FrameListWriter } from './frame-list.ts';
import { gelfFramesProtocolName } from './protocol.ts';

const batchMaxBytes = 1024 * 1024;
const batchMaxMessages = 1000;
/** How long a message waits for others to share a request, and with it a sync. */
const batchDelayMs = 4;
/** Collected and not yet stored; above it a stream is to be paused. */
const pendingMaxBytes = 16 * 1024 * 1024;
const retryDelayMs = 250;

export interface FrameSenderOptions {
  readonly listener: string;
  readonly tenant: string;
  readonly port: IngestPort;
  readonly budget: InflightBudget;
  readonly ledger: ListenerLedger;
  readonly clock: Clock;
  readonly log: ListenerLog;
  /** Whether what cannot be stored now is kept and sent again: its senders are held back meanwhile. */
  readonly isRetrying: boolean;
  /** Called when there is room again after `hasRoom` was false. */
  readonly onRoom?: () => void;
}

/**
 * Groups the messages of a socket listener into requests to the ingest worker, and accounts for each message.
 * Bound: `pendingMaxBytes` and one message more; a retrying sender relies on its listener to heed `hasRoom`.
 */
export class FrameSender {
  readonly #options: FrameSenderOptions;
  readonly #list = new FrameListWriter();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #cancelFlush: (() => void) | undefined;
  #inFlightBytes = 0;
  #wasFull = false;

  constructor(options: FrameSenderOptions) {
    this.#options = options;
  }

  get hasRoom(): boolean {
    return this.#list.sizeBytes + this.#inFlightBytes < pendingMaxBytes;
  }

  add(peer: string, message: Uint8Array): void {
    const { ledger, clock, isRetrying } = this.#options;
    if (!this.hasRoom) {
      this.#wasFull = true;
      if (!isRetrying) {
        ledger.noteLost('ingest_backpressure', 1);
        return;
      }
    }
    this.#list.add(peer, message);
    if (this.#list.sizeBytes >= batchMaxBytes || this.#list.count >= batchMaxMessages) {
      this.#flush();
    } else {
      this.#cancelFlush ??= clock.after(batchDelayMs, () => this.#flush());
    }
    if (!this.hasRoom) this.#wasFull = true;
  }

  /** Sends what is collected and settles when all of it is stored, or given up after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#flush();
    const cancel = this.#options.clock.after(graceMs, () =>
      this.#closing.abort(new Error('closing')),
    );
    await Promise.all(this.#inFlight);
    cancel();
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    if (this.#list.count === 0) return;
    const { body, count } = this.#list.take();
    const bytes = body.length;
    this.#inFlightBytes += bytes;
    const sending = this.#send(body, count).finally(() => {
      this.#inFlight.delete(sending);
      this.#inFlightBytes -= bytes;
      if (!this.#wasFull || !this.hasRoom) return;
      this.#wasFull = false;
      this.#options.onRoom?.();
    });
    this.#inFlight.add(sending);
  }

  async #send(body: Uint8Array, count: number): Promise<void> {
    const { isRetrying, clock, ledger } = this.#options;
    for (;;) {
      const failure = await this.#submit(isRetrying ? body.slice() : body);
      if (failure === undefined) return;
      if (!isRetrying || !errorCodes[failure].retryable || this.#closing.signal.aborted) {
        ledger.noteLost(failure, count);
        return;
      }
      await clock.sleep(retryDelayMs, this.#closing.signal).catch(() => undefined);
    }
  }

  /** The reason when nothing of the body was stored. */
  async #submit(body: Uint8Array): Promise<ErrorCode | undefined> {
    const { listener, tenant, port, budget, ledger, clock, log } = this.#options;
    if (!port.isAccepting()) return 'ingest_backpressure';
    const reservation = budget.open();
    if (!reservation.grow(body.length)) return 'ingest_backpressure';
    try {
      const { length: maxBodyBytes } = body;
      ledger.noteRequest();
      const outcome = await port.submit({
        protocol: gelfFramesProtocolName,
        listener,
        tenant,
        method: 'POST',
        path: '/gelf',
        query: '',
        headers: {},
        maxBodyBytes,
        body,
      });
      if (outcome.requestError !== undefined) return outcome.requestError;
      ledger.noteOutcome(outcome, clock.nowMs());
      return undefined;
    } catch (error) {
      log.error({ listener, err: error }, 'messages could not be stored');
      return error instanceof NodeError ? error.code : 'node_internal';
    } finally {
      reservation.release();
    }
  }
}
