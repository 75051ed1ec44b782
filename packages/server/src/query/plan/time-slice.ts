import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';

const sliceMs = 3;

/** Breaks long work on the main thread into pieces, between which everything else gets its turn. */
export class TimeSlice {
  readonly #clock: Clock;
  #startedMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** To be called at least every millisecond or so of work. */
  get isOver(): boolean {
    return this.#clock.monotonicMs() - this.#startedMs >= sliceMs;
  }

  async yield(): Promise<void> {
    await nextTurn();
    this.#startedMs = this.#clock.monotonicMs();
  }
}
