import { backgroundShare, playBackground, playOccasions } from './background.ts';
import type { DemoEvent } from './demo-event.ts';
import { Fleet } from './fleet.ts';
import { hashNumbers, Random } from './random.ts';
import { playCustomer } from './shopping.ts';
import { Stage } from './stage.ts';
import { situationAt } from './timeline.ts';

/** The grain of determinism: what begins within one slot is generated together. */
export const slotMs = 1000;

/** Raised whenever the same seed begins to mean other events, so that ids do not collide. */
const generation = 1;

/** Mean events of one customer request on an ordinary day, asserted by a test of the rate. */
const eventsPerRequest = 3.97;

/**
 * A small shop as a function of seed, rate and time. Every slot can be generated alone and always gives the same
 * events with the same ids; a request belongs to the slot it begins in and may end a few seconds later.
 */
export class ShopGenerator {
  readonly seed: number;
  /** Mean events per second over a week. */
  readonly rate: number;
  readonly #fleet = new Fleet();
  readonly #run: string;

  constructor(options: { readonly seed: number; readonly rate: number }) {
    this.seed = options.seed;
    this.rate = options.rate;
    const micro = Math.round(options.rate * 1000);
    this.#run = hashNumbers([generation, options.seed, micro]).toString(36);
  }

  /** The events of the slot that starts at `startMs`, a multiple of `slotMs`, by time. */
  slot(startMs: number): DemoEvent[] {
    const situation = situationAt(this.seed, startMs);
    const stage = new Stage({
      random: new Random(this.seed, startMs, Math.round(this.rate * 1000)),
      situation,
      slotMs: startMs,
      fleet: this.#fleet,
      idPrefix: `${this.#run}-${(startMs / slotMs).toString(36)}-`,
    });
    playOccasions(stage, this.seed);
    const customerRate = (this.rate * (1 - backgroundShare)) / eventsPerRequest;
    for (let left = stage.random.poisson(customerRate * situation.traffic); left > 0; left--) {
      playCustomer(stage);
    }
    playBackground(stage, this.rate);
    return stage.events.sort((a, b) => a.timeMs - b.timeMs || a.nanos - b.nanos);
  }

  /** The events of all slots that start within [fromMs, toMs). */
  *window(fromMs: number, toMs: number): Generator<DemoEvent> {
    for (let at = Math.ceil(fromMs / slotMs) * slotMs; at < toMs; at += slotMs) {
      yield* this.slot(at);
    }
  }
}
