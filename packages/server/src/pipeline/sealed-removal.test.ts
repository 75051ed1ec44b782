import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../test/fixture/simulated-clock.ts';
import { silentLogger } from '../base/logger.ts';
import { SealedRemoval } from './sealed-removal.ts';

function setup() {
  const clock = new SimulatedClock();
  const removed: string[][] = [];
  let failures = 0;
  const removal = new SealedRemoval({
    clock,
    logger: silentLogger,
    async remove(segmentIds) {
      await Promise.resolve();
      if (failures-- > 0) throw new Error('disk error');
      removed.push([...segmentIds]);
    },
  });
  return { clock, removal, removed, failNext: (count: number) => (failures = count) };
}

describe('SealedRemoval', () => {
  it('removes what comes while it is at work, one call at a time', async () => {
    const { removal, removed } = setup();
    removal.add(['a']);
    removal.add(['b', 'c']);
    await removal.finish();
    expect(removed).toEqual([['a'], ['b', 'c']]);
    removal.add(['d']);
    await removal.finish();
    expect(removed).toHaveLength(3);
  });

  it('tries again what could not be removed', async () => {
    const { clock, removal, removed, failNext } = setup();
    failNext(2);
    removal.add(['a']);
    await removal.settled();
    expect(removal.lastError).toBe('disk error');
    removal.add(['b']);
    await removal.settled();
    clock.advance(30_000);
    await removal.settled();
    expect(removed).toEqual([['a', 'b']]);
    expect(removal.lastError).toBeUndefined();
  });

  it('leaves it to the next start once it was asked to finish', async () => {
    const { clock, removal, removed, failNext } = setup();
    failNext(1);
    removal.add(['a']);
    await removal.finish();
    clock.advance(60_000);
    await removal.settled();
    expect(removed).toEqual([]);
  });
});
