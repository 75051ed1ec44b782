import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';

export interface PublishLoopOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly intervalMs: number;
  readonly thresholdBytes: number;
  /** One attempt; throws when it has to be made again. */
  readonly publish: () => Promise<void>;
  /** After every attempt: why it failed, or undefined. */
  readonly onAttempt: (lastError: string | undefined) => void;
}

const firstRetryMs = 500;
const maxRetryMs = 30_000;

/**
 * Decides when to publish: when sealed files have waited for the interval, when they reach the threshold, or when
 * asked. A failed attempt is repeated with growing pauses until it succeeds.
 */
export class PublishLoop {
  readonly #options: PublishLoopOptions;
  #waitingBytes = 0;
  #cancelTimer: (() => void) | undefined;
  #failures = 0;
  #isStopped = false;
  #lastError: string | undefined;
  #running: Promise<void> | undefined;

  constructor(options: PublishLoopOptions) {
    this.#options = options;
  }

  /** Why the last attempt failed, until one succeeds. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** Sealed bytes that wait to be published; call whenever that changes. */
  setWaiting(bytes: number): void {
    this.#waitingBytes = bytes;
    if (bytes === 0 || this.#isStopped || this.#running !== undefined) return;
    if (bytes >= this.#options.thresholdBytes && this.#failures === 0) void this.#start();
    else
      this.#cancelTimer ??= this.#options.clock.after(
        this.#options.intervalMs,
        () => void this.#start(),
      );
  }

  /** Publishes now; resolves when nothing waits any more or an attempt has failed. */
  async flush(): Promise<void> {
    await this.#running;
    while (this.#waitingBytes > 0) {
      await this.#start();
      if (this.#failures > 0) return;
    }
  }

  /** No further attempt begins by itself. */
  stop(): void {
    this.#isStopped = true;
    this.#clearTimer();
  }

  /** Resolves when no attempt is under way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  #clearTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #start(): Promise<void> {
    this.#clearTimer();
    this.#running ??= this.#attempt();
    return this.#running;
  }

  async #attempt(): Promise<void> {
    const { clock, logger, publish, onAttempt } = this.#options;
    try {
      await publish();
      this.#failures = 0;
      this.#lastError = undefined;
    } catch (error) {
      this.#failures++;
      this.#lastError = error instanceof Error ? error.message : String(error);
      logger.warn({ err: error, failures: this.#failures }, 'publishing failed, will try again');
    } finally {
      this.#running = undefined;
    }
    onAttempt(this.#lastError);
    if (this.#isStopped) return;
    if (this.#failures > 0) {
      const delayMs = Math.min(firstRetryMs * 2 ** (this.#failures - 1), maxRetryMs);
      this.#cancelTimer = clock.after(delayMs, () => void this.#start());
    } else {
      this.setWaiting(this.#waitingBytes);
    }
  }
}
