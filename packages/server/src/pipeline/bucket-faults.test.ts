import { describe, expect, it } from 'vitest';
import { DayAfterDay } from '../../test/fixture/ordinary-day.ts';
import type { StoreFault } from '../../test/fixture/simulated-bucket.ts';

const days = new DayAfterDay();
const failures: readonly StoreFault[] = ['before', 'after', 'unsent'];

describe('a node whose bucket fails', { timeout: 60_000 }, () => {
  it('makes enough calls to fail at', async () => {
    expect((await days.measure()).calls).toBeGreaterThan(20);
  });

  it.each([...failures, 'kill', 'power-cut'] as const)(
    'loses and doubles nothing after one fault (%s) at any call',
    async (fault) => {
      const { calls } = await days.measure();
      const broken = await days.liveEach({ count: calls }, (at) => {
        const storeFaults = ({ index }: { index: number }): StoreFault | undefined =>
          index === at ? fault : undefined;
        return days.live(`${fault} at call ${at}`, { seed: at, storeFaults });
      });
      expect(broken).toEqual([]);
    },
  );

  it.each(['recover', 'power-cut'] as const)(
    'loses and doubles nothing when it is gone from any call on (%s)',
    async (end) => {
      const { calls } = await days.measure();
      const broken = await days.liveEach({ count: calls }, (at) => {
        const first = failures[at % failures.length];
        return days.live(`gone from call ${at}`, {
          seed: at,
          end,
          storeFaults: ({ index }) => (index < at ? undefined : index === at ? first : 'before'),
        });
      });
      expect(broken).toEqual([]);
    },
  );
});

describe('a node that cannot merge', () => {
  it('publishes small sealed files one by one in the end', async () => {
    expect(await days.live('no merge', { mergeFails: () => true })).toBeUndefined();
  });
});
