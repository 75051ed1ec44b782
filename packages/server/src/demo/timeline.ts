import { hashNumbers } from './random.ts';

/**
 * What happens to the shop at a given time, as a function of seed and absolute time alone. Replaying any
 * window again, on any day, finds the same releases and incidents in it.
 */
const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Checkout 2.0.0 goes out in every cycle and is rolled back three hours later. */
const releaseCycleMs = 8 * hourMs;
const releaseStartMs = 3 * hourMs;
const releaseEndMs = 6 * hourMs;
const rolloutMs = 6 * minuteMs;
const stormCycleMs = 5 * hourMs;
const stormMs = 4 * minuteMs;
/** Twice in any 24 hours, so that the later one has been seen before. */
const failoverCycleMs = 11 * hourMs;
export const failoverMs = 7 * minuteMs;
const burstBucketMs = 15 * minuteMs;
const burstMs = 90 * secondMs;
const nightlyStartMs = 2 * hourMs + 30 * minuteMs;
export const nightlyMs = 12 * minuteMs;

export const burstServices = ['search', 'auth', 'mailer', 'payment', 'inventory'] as const;
export type BurstService = (typeof burstServices)[number];

export interface Situation {
  /** Share of checkout requests that version 2 serves, 0..1. */
  readonly checkoutV2Share: number;
  readonly isRetryStorm: boolean;
  /** Milliseconds since the database failover began, while it lasts. */
  readonly failoverAgeMs: number | undefined;
  readonly burst: BurstService | undefined;
  /** Milliseconds since the nightly job began, while it runs. */
  readonly nightlyAgeMs: number | undefined;
  /** Traffic relative to the day's mean. */
  readonly traffic: number;
}

export interface Moment {
  readonly timeMs: number;
  readonly title: string;
}

export function situationAt(seed: number, timeMs: number): Situation {
  const release = phase(seed, 1, releaseCycleMs, timeMs);
  const failover = phase(seed, 3, failoverCycleMs, timeMs);
  const nightly = timeMs - Math.floor(timeMs / dayMs) * dayMs - nightlyStartMs;
  return {
    checkoutV2Share:
      release < releaseStartMs || release >= releaseEndMs
        ? 0
        : Math.min(1, (release - releaseStartMs) / rolloutMs),
    isRetryStorm: phase(seed, 2, stormCycleMs, timeMs) < stormMs,
    failoverAgeMs: failover < failoverMs ? failover : undefined,
    burst: burstAt(seed, timeMs),
    nightlyAgeMs: nightly >= 0 && nightly < nightlyMs ? nightly : undefined,
    traffic: trafficAt(timeMs),
  };
}

/** Quiet at 04:00 UTC, busy at 16:00 UTC, a little less on Saturdays and Sundays; the mean over a week is near 1. */
export function trafficAt(timeMs: number): number {
  const hour = (timeMs / hourMs) % 24;
  const daily = 1 - 0.5 * Math.cos(((hour - 4) / 24) * 2 * Math.PI);
  const weekday = (Math.floor(timeMs / dayMs) + 4) % 7;
  return daily * (weekday === 0 || weekday === 6 ? 0.94 : 1.024);
}

/** The turning points within [fromMs, toMs), oldest first: where a newcomer should look. */
export function momentsBetween(seed: number, fromMs: number, toMs: number): Moment[] {
  const schedule = [
    { salt: 1, cycle: releaseCycleMs, at: releaseStartMs, title: 'checkout 2.0.0 rolls out' },
    { salt: 1, cycle: releaseCycleMs, at: releaseEndMs, title: 'checkout rolled back to 1.41.3' },
    { salt: 2, cycle: stormCycleMs, at: 0, title: 'retry storm: checkout against inventory' },
    { salt: 3, cycle: failoverCycleMs, at: 0, title: 'postgres loses its primary' },
  ];
  const moments: Moment[] = [];
  for (const { salt, cycle, at, title } of schedule) {
    const first = fromMs + ((at - phase(seed, salt, cycle, fromMs) + cycle) % cycle);
    for (let timeMs = first; timeMs < toMs; timeMs += cycle) moments.push({ timeMs, title });
  }
  for (let day = Math.floor(fromMs / dayMs); day * dayMs < toMs; day++) {
    const timeMs = day * dayMs + nightlyStartMs;
    if (timeMs >= fromMs && timeMs < toMs)
      moments.push({ timeMs, title: 'nightly settlement job' });
  }
  return moments.sort((a, b) => a.timeMs - b.timeMs);
}

function phase(seed: number, salt: number, cycleMs: number, timeMs: number): number {
  const offset = hashNumbers([seed, salt]) % cycleMs;
  // A whole second: rollouts and incidents begin where a slot of the generator begins.
  return (timeMs + offset - (offset % secondMs)) % cycleMs;
}

function burstAt(seed: number, timeMs: number): BurstService | undefined {
  const bucket = Math.floor(timeMs / burstBucketMs);
  const roll = hashNumbers([seed, 4, bucket]);
  if (roll % 4 !== 0) return undefined;
  const startMs = bucket * burstBucketMs + ((roll >>> 8) % (burstBucketMs - burstMs));
  if (timeMs < startMs || timeMs >= startMs + burstMs) return undefined;
  return burstServices[(roll >>> 3) % burstServices.length];
}
