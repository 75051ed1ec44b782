import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { ClosedSegment, WalWriter } from '../wal/index.ts';
import type { GroupLog } from './group-commit.ts';
import type { WalUsage } from './pipeline.ts';

export interface SegmentRotationOptions {
  readonly wal: WalWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Longest time a record waits in the open segment (`storage.seal_interval_ms`). */
  readonly sealIntervalMs: number;
  /** A segment that was closed by age or on request; those closed by size the log announces itself. */
  readonly onSegmentClosed: (segment: ClosedSegment) => void;
  readonly onUsage: (usage: WalUsage) => void;
}

const usageIntervalMs = 200;

/** The log as the group commit writes it: closes segments by age, and reports how much is in them. */
export class SegmentRotation implements GroupLog {
  readonly #options: SegmentRotationOptions;
  #cancelRotation: (() => void) | undefined;
  #cancelReport: (() => void) | undefined;
  #isStopped = false;
  /** The last append failed, and so would most likely the next. */
  #isRefusing = false;

  constructor(options: SegmentRotationOptions) {
    this.#options = options;
  }

  async append(pieces: readonly Uint8Array[], rows: number): Promise<unknown> {
    try {
      const appended = await this.#options.wal.append(pieces, rows);
      this.#isRefusing = false;
      return appended;
    } catch (error) {
      this.#isRefusing = true;
      throw error;
    } finally {
      const { clock } = this.#options;
      this.#planRotation();
      this.#cancelReport ??= clock.after(usageIntervalMs, () => this.reportUsage());
    }
  }

  reportUsage(): void {
    this.#cancelReport?.();
    this.#cancelReport = undefined;
    const { status } = this.#options.wal;
    this.#options.onUsage({ ...status, isFailing: status.isFailing || this.#isRefusing });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRotation?.();
    this.#cancelReport?.();
  }

  /** The log closed its segment itself, mostly because of its size: the next one is young. */
  noteClosedByLog(): void {
    this.#cancelRotation?.();
    this.#cancelRotation = undefined;
  }

  /** Closes the open segment if it holds records, and announces it before this resolves. */
  async rotate(): Promise<void> {
    const segment = await this.#options.wal.rotate();
    if (segment !== undefined) this.#options.onSegmentClosed(segment);
    this.reportUsage();
  }

  #planRotation(): void {
    const { clock, sealIntervalMs } = this.#options;
    if (this.#isStopped) return;
    this.#cancelRotation ??= clock.after(sealIntervalMs, () => void this.#rotateByAge());
  }

  async #rotateByAge(): Promise<void> {
    this.#cancelRotation = undefined;
    try {
      await this.rotate();
    } catch (error) {
      // The next append says so to its callers; there may be none, and acknowledged records wait.
      this.#options.logger.warn({ err: error }, 'the open log segment could not be closed');
      this.#planRotation();
      this.reportUsage();
    }
  }
}
