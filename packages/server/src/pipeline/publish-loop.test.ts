import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../test/fixture/simulated-clock.ts';
import { silentLogger } from '../base/logger.ts';
import { PublishLoop } from './publish-loop.ts';

/** Ten bytes wait at first; every successful attempt publishes one of them. */
function setup() {
  const clock = new SimulatedClock();
  const attempts: number[] = [];
  const outcomes: (string | undefined)[] = [];
  let failures = 0;
  let waiting = 0;
  const startMs = clock.nowMs();
  const loop = new PublishLoop({
    clock,
    logger: silentLogger,
    intervalMs: 60_000,
    thresholdBytes: 100,
    async publish() {
      attempts.push(clock.nowMs() - startMs);
      await Promise.resolve();
      if (failures-- > 0) throw new Error('bucket away');
      loop.setWaiting(--waiting);
    },
    onAttempt: (lastError) => outcomes.push(lastError),
  });
  const wait = (bytes: number): void => loop.setWaiting((waiting = bytes));
  const pass = async (durationMs: number): Promise<void> => {
    clock.advance(durationMs);
    await loop.settled();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { loop, attempts, outcomes, wait, pass, failNext: (count: number) => (failures = count) };
}

describe('PublishLoop', () => {
  it('publishes what has waited for the interval, counted from the first', async () => {
    const { attempts, wait, pass } = setup();
    wait(1);
    await pass(59_000);
    wait(2);
    expect(attempts).toEqual([]);
    await pass(1000);
    expect(attempts).toEqual([60_000]);
  });

  it('publishes at once what reaches the threshold, and the rest after the interval', async () => {
    const { attempts, wait, pass } = setup();
    wait(100);
    await pass(0);
    expect(attempts).toEqual([0]);
    await pass(60_000);
    expect(attempts).toEqual([0, 60_000]);
  });

  it('repeats a failed attempt with growing pauses and says why it failed until one succeeds', async () => {
    const { loop, attempts, outcomes, wait, pass, failNext } = setup();
    failNext(3);
    wait(100);
    await pass(0);
    expect(loop.lastError).toBe('bucket away');
    // More data while it fails does not make it try more often.
    wait(200);
    for (const pauseMs of [500, 1000, 2000]) await pass(pauseMs);
    expect(attempts.slice(0, 4)).toEqual([0, 500, 1500, 3500]);
    expect(outcomes.slice(0, 4)).toEqual(['bucket away', 'bucket away', 'bucket away', undefined]);
    expect(loop.lastError).toBeUndefined();
  });

  it('publishes everything that waits when flushed, or as far as it can', async () => {
    const { loop, attempts, wait, failNext } = setup();
    wait(3);
    await loop.flush();
    expect(attempts).toHaveLength(3);
    wait(3);
    failNext(1);
    await loop.flush();
    expect(attempts).toHaveLength(4);
    expect(loop.lastError).toBe('bucket away');
  });

  it('begins nothing by itself once it was stopped', async () => {
    const { loop, attempts, wait, pass, failNext } = setup();
    failNext(1);
    wait(1);
    await loop.flush();
    loop.stop();
    wait(200);
    await pass(600_000);
    expect(attempts).toHaveLength(1);
  });
});
