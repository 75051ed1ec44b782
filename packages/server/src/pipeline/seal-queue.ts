import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { ClosedSegment } from '../wal/index.ts';

export interface SealQueueOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Seals one segment, makes it visible and removes it from the log. Idempotent. */
  readonly seal: (segment: ClosedSegment) => Promise<void>;
}

interface Waiter {
  readonly sequence: number;
  resolve(): void;
  reject(error: unknown): void;
}

const retryMs = 1000;

/** Closed segments on their way to sealed files, in log order; a segment that fails is tried again. */
export class SealQueue {
  readonly #options: SealQueueOptions;
  readonly #segments: ClosedSegment[] = [];
  #waiters: Waiter[] = [];
  #isRunning = false;
  #isRetryPlanned = false;
  #lastError: string | undefined;

  constructor(options: SealQueueOptions) {
    this.#options = options;
  }

  get depth(): number {
    return this.#segments.length;
  }

  get lastError(): string | undefined {
    return this.#lastError;
  }

  add(segment: ClosedSegment): void {
    if (this.#segments.some((queued) => queued.segmentId === segment.segmentId)) return;
    this.#segments.push(segment);
    if (!this.#isRunning) void this.#run();
  }

  /** Resolves when every segment added so far is sealed; rejects when one of them cannot be for now. */
  drained(): Promise<void> {
    const last = this.#segments.at(-1);
    if (last === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ sequence: last.sequence, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let segment = this.#segments[0]; segment !== undefined; segment = this.#segments[0]) {
      try {
        await this.#options.seal(segment);
      } catch (error) {
        this.#fail(segment, error);
        return;
      }
      this.#lastError = undefined;
      this.#segments.shift();
      this.#settle(segment.sequence);
    }
    this.#isRunning = false;
  }

  #settle(sequence: number): void {
    const done = this.#waiters.filter((waiter) => waiter.sequence <= sequence);
    this.#waiters = this.#waiters.filter((waiter) => waiter.sequence > sequence);
    for (const waiter of done) waiter.resolve();
  }

  #fail(segment: ClosedSegment, error: unknown): void {
    this.#isRunning = false;
    this.#lastError = error instanceof Error ? error.message : String(error);
    this.#options.logger.error(
      { err: error, segmentId: segment.segmentId },
      'sealing failed, will try again',
    );
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(error);
    if (this.#isRetryPlanned) return;
    this.#isRetryPlanned = true;
    this.#options.clock.after(retryMs, () => {
      this.#isRetryPlanned = false;
      if (!this.#isRunning && this.#segments.length > 0) void this.#run();
    });
  }
}
