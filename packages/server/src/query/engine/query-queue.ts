import type { Clock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';

interface Entry {
  readonly start: () => void;
}

/**
 * Lets a fixed number of queries run. Waiting owners take turns, so one that asks for many queries does not push
 * out the others.
 */
export class QueryQueue {
  readonly #limit: number;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  /** Waiting entries by owner; map order is the order of turns. */
  readonly #waiting = new Map<string, Entry[]>();
  #running = 0;
  #queued = 0;

  constructor(limit: number, timeoutMs: number, clock: Clock) {
    this.#limit = limit;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#queued;
  }

  /** Resolves with the function that gives the place back, to be called exactly once. */
  async enter(owner: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#running < this.#limit) this.#running += 1;
    else await this.#wait(owner, signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#leave();
    };
  }

  #wait(owner: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        cancelTimer();
        signal?.removeEventListener('abort', onAbort);
        finish();
      };
      const entry: Entry = { start: () => settle(resolve) };
      const onAbort = (): void => {
        this.#remove(owner, entry);
        settle(() => reject(signal?.reason as Error));
      };
      const cancelTimer = this.#clock.after(this.#timeoutMs, () => {
        this.#remove(owner, entry);
        settle(() => reject(queueTimeout(this.#timeoutMs)));
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      const entries = this.#waiting.get(owner);
      if (entries === undefined) this.#waiting.set(owner, [entry]);
      else entries.push(entry);
      this.#queued += 1;
    });
  }

  #remove(owner: string, entry: Entry): void {
    const entries = this.#waiting.get(owner) ?? [];
    const index = entries.indexOf(entry);
    if (index === -1) return;
    entries.splice(index, 1);
    this.#queued -= 1;
    if (entries.length === 0) this.#waiting.delete(owner);
  }

  #leave(): void {
    const next = this.#waiting.entries().next().value;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    const [owner, entries] = next;
    const entry = entries.shift();
    this.#queued -= 1;
    this.#waiting.delete(owner);
    if (entries.length > 0) this.#waiting.set(owner, entries); // to the back of the line
    entry?.start();
  }
}

const queueTimeout = (timeoutMs: number): NodeError =>
  new NodeError('query_queue_timeout', 'too many queries are running; try again later', {
    details: { waited_seconds: timeoutMs / 1000 },
    retryAfterMs: Math.min(30_000, Math.max(1000, timeoutMs)),
  });
