/**
 * Many requests, one log record, one sync. While a record is being written and synced, the requests that arrive go into
 * the other of two batches; together they are the next record.
 *
 * Ordering: a request resolves after the record with its events is synced, and after every record before it. So a
 * duplicate whose first copy is in an unsynced group is not acknowledged before that copy is durable.
 * On failure of a record its requests fail, and with them those already collected behind it: some of their events may
 * have been left out as duplicates of events that are not stored now. Both batches and the dedup window go back to
 * where they were before the failed group.
 * Size bound: two batches of `groupMaxBytes` plus one request each; requests beyond wait undecoded.
 */
import { NodeError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';

/** Events under construction. Two of them take turns. */
export interface GroupBatch {
  readonly rows: number;
  readonly sizeBytes: number;
  /** Forgets the rows from `rows` on, unfinished ones included. */
  truncate(rows: number): void;
  /** The rows as the payload of one log record; the pieces stay as they are until `truncate`. */
  takeBatch(): { readonly pieces: readonly Uint8Array[]; readonly rows: number };
}

/** What a group is written to; `WalWriter` is one. */
export interface GroupLog {
  append(pieces: readonly Uint8Array[], rows: number): Promise<unknown>;
}

/** The dedup window as far as refusing a group needs it. */
export interface Marked {
  mark(): number;
  rollback(mark: number): void;
}

export interface GroupCommitOptions<Batch extends GroupBatch> {
  readonly batches: readonly [Batch, Batch];
  readonly log: GroupLog;
  readonly dedup: Marked;
  readonly logger: Logger;
  /** A group takes no further request once it has this size. */
  readonly groupMaxBytes: number;
}

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

interface Group<Batch> {
  readonly batch: Batch;
  readonly requests: Waiting[];
  /** The dedup window before the first request of the group. */
  readonly mark: number;
}

export class GroupCommit<Batch extends GroupBatch> {
  readonly #options: GroupCommitOptions<Batch>;
  #open: Group<Batch>;
  #inFlight: Group<Batch> | undefined;
  #isFlushScheduled = false;
  #waitingForRoom: (() => void)[] = [];
  #waitingForIdle: (() => void)[] = [];
  /** Set by a failure that is not the disk's: nothing is accepted any more. */
  #fault: Error | undefined;

  constructor(options: GroupCommitOptions<Batch>) {
    this.#options = options;
    this.#open = this.#newGroup(options.batches[0]);
  }

  /**
   * Runs `decode`, which appends the events of one request to the batch, and resolves with its result once they are
   * durable. `decode` is synchronous: nothing can come between the marks and what they cover. When it throws,
   * nothing of the request remains and the promise rejects with what it threw. Rejects with `wal_write_failed` when
   * the events could not be made durable; none of them is stored then, and the request may be repeated.
   */
  async admit<Result>(decode: (batch: Batch) => Result): Promise<Result> {
    while (!this.#hasRoom) {
      await new Promise<void>((resolve) => this.#waitingForRoom.push(resolve));
    }
    if (this.#fault !== undefined) throw this.#fault;
    const { batch, requests } = this.#open;
    const { dedup } = this.#options;
    const rows = batch.rows;
    const mark = dedup.mark();
    let result: Result;
    try {
      result = decode(batch);
    } catch (error) {
      batch.truncate(rows);
      dedup.rollback(mark);
      throw error;
    }
    await new Promise<void>((resolve, reject) => {
      requests.push({ resolve, reject });
      this.#scheduleFlush();
    });
    return result;
  }

  /** Resolves when every admitted request has been answered. */
  async drain(): Promise<void> {
    while (this.#inFlight !== undefined || this.#open.requests.length > 0) {
      await new Promise<void>((resolve) => this.#waitingForIdle.push(resolve));
    }
  }

  get #hasRoom(): boolean {
    return this.#open.batch.sizeBytes < this.#options.groupMaxBytes;
  }

  /** Not at once: requests that are ready in the same turn of the event loop share the first record too. */
  #scheduleFlush(): void {
    if (this.#isFlushScheduled || this.#inFlight !== undefined) return;
    this.#isFlushScheduled = true;
    setImmediate(() => {
      this.#isFlushScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#inFlight !== undefined) return;
    const group = this.#open;
    if (group.requests.length === 0) return this.#wake();
    const [first, second] = this.#options.batches;
    this.#open = this.#newGroup(group.batch === first ? second : first);
    this.#inFlight = group;
    void this.#commit(group);
  }

  async #commit(group: Group<Batch>): Promise<void> {
    try {
      // Only duplicates, all of them durable: there is no group before this one that is not.
      if (group.batch.rows > 0) {
        const { pieces, rows } = group.batch.takeBatch();
        await this.#options.log.append(pieces, rows);
      }
    } catch (error) {
      this.#fail(group, error);
      return;
    }
    group.batch.truncate(0);
    this.#inFlight = undefined;
    for (const request of group.requests) request.resolve();
    this.#flush();
    this.#wake();
  }

  #fail(group: Group<Batch>, error: unknown): void {
    const behind = this.#open;
    const { dedup, logger } = this.#options;
    const requests = [...group.requests, ...behind.requests];
    logger.error({ error, requests: requests.length }, 'a group of requests was not stored');
    if (!(error instanceof NodeError)) {
      this.#fault = error instanceof Error ? error : new Error('unknown', { cause: error });
    }
    group.batch.truncate(0);
    behind.batch.truncate(0);
    dedup.rollback(group.mark);
    this.#inFlight = undefined;
    this.#open = this.#newGroup(behind.batch);
    for (const request of requests) request.reject(error);
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waitingForRoom, ...this.#waitingForIdle];
    this.#waitingForRoom = [];
    this.#waitingForIdle = [];
    for (const resume of waiting) resume();
  }

  #newGroup(batch: Batch): Group<Batch> {
    return { batch, requests: [], mark: this.#options.dedup.mark() };
  }
}
