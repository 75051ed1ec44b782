import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';

export interface SealedRemovalOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Idempotent. */
  readonly remove: (segmentIds: readonly string[]) => Promise<void>;
}

const retryMs = 30_000;

/** Sealed files that are published and no longer read, until they are off the disk. */
export class SealedRemoval {
  readonly #options: SealedRemovalOptions;
  readonly #segmentIds = new Set<string>();
  #running: Promise<void> | undefined;
  #cancelRetry: (() => void) | undefined;
  #lastError: string | undefined;

  constructor(options: SealedRemovalOptions) {
    this.#options = options;
  }

  /** Why the last removal failed, until one succeeds. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  add(segmentIds: readonly string[]): void {
    for (const segmentId of segmentIds) this.#segmentIds.add(segmentId);
    if (this.#segmentIds.size === 0) return;
    this.#running ??= this.#run();
  }

  /** Resolves when no removal is under way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Resolves when everything was tried; what is left over the next start removes. */
  async finish(): Promise<void> {
    await this.#running;
    this.#cancelRetry?.();
  }

  async #run(): Promise<void> {
    const { clock, logger, remove } = this.#options;
    this.#cancelRetry?.();
    try {
      while (this.#segmentIds.size > 0) {
        const batch = [...this.#segmentIds];
        await remove(batch);
        for (const segmentId of batch) this.#segmentIds.delete(segmentId);
      }
      this.#lastError = undefined;
    } catch (error) {
      this.#lastError = error instanceof Error ? error.message : String(error);
      logger.warn({ err: error }, 'published files could not be removed, will try again');
      this.#cancelRetry = clock.after(retryMs, () => this.add([]));
    } finally {
      this.#running = undefined;
    }
  }
}
