export interface TimestampPolicy {
  readonly maxFutureNs: bigint;
  /** Undefined: events of any age are taken. */
  readonly maxAgeNs: bigint | undefined;
  readonly action: 'clamp' | 'reject';
}

export const inRange = 0;
export const tooOld = 1;
export const tooNew = 2;

/** Halves of a 64-bit integer, as `Int64Column` takes them. */
export interface Halves {
  readonly high: number;
  readonly low: number;
}

function halvesOf(value: bigint): Halves {
  return { high: Number(value >> 32n), low: Number(value & 0xffffffffn) };
}

/**
 * The allowed event times at one moment (spec section 8, ingest timestamps). Negative times are always out of
 * range, so the lower end is never below zero.
 */
export class TimeWindow {
  readonly min: Halves;
  readonly max: Halves;
  readonly now: Halves;

  constructor(nowNs: bigint, policy: TimestampPolicy) {
    const minNs = policy.maxAgeNs === undefined ? 0n : nowNs - policy.maxAgeNs;
    this.min = halvesOf(minNs > 0n ? minNs : 0n);
    this.max = halvesOf(nowNs + policy.maxFutureNs);
    this.now = halvesOf(nowNs);
  }

  /** `high` is signed, `low` unsigned. */
  check(high: number, low: number): typeof inRange | typeof tooOld | typeof tooNew {
    const { min, max } = this;
    if (high < min.high || (high === min.high && low < min.low)) return tooOld;
    if (high > max.high || (high === max.high && low > max.low)) return tooNew;
    return inRange;
  }
}
