import { assert } from '../../base/assert.ts';

/**
 * Body bytes that all HTTP listeners together hold at once (`ingest.max_inflight_bytes`, spec section 8). Bytes
 * are taken before they are read and given back when the request is answered.
 */
export class InflightBudget {
  readonly limitBytes: number;
  #usedBytes = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  open(): InflightReservation {
    return new InflightReservation(this);
  }

  tryTake(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.limitBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#usedBytes -= bytes;
    assert(this.#usedBytes >= 0, 'more in-flight bytes given back than taken');
  }
}

/** The share of one request. */
export class InflightReservation {
  readonly #budget: InflightBudget;
  #bytes = 0;

  constructor(budget: InflightBudget) {
    this.#budget = budget;
  }

  get limitBytes(): number {
    return this.#budget.limitBytes;
  }

  /** False when the budget has no room; nothing is taken then. */
  grow(bytes: number): boolean {
    if (!this.#budget.tryTake(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  release(): void {
    this.#budget.giveBack(this.#bytes);
    this.#bytes = 0;
  }
}
