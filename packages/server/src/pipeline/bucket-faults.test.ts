import { describe, expect, it } from 'vitest';
import { DayAfterDay } from '../../test/fixture/ordinary-day.ts';
import type { StoreFault } from '../../test/fixture/simulated-bucket.ts';

const days = new DayAfterDay();
const failures: readonly StoreFault[] = ['before', 'after', 'unsent'];

describe('a node whose bucket fails', { timeout: 60_000 }, () => {
  it.each([...failures, 'kill', 'power-cut'] as const)(
    'loses and doubles nothing after one fault (%s) at any call',
    async (fault) => {
      const { calls } = await days.measure();
      expect(calls).toBeGreaterThan(20);
      for (let at = 0; at < calls; at += 1) {
        const storeFaults = ({ index }: { index: number }): StoreFault | undefined =>
          index === at ? fault : undefined;
        await days.live(`${fault} at call ${at}`, { seed: at, storeFaults });
      }
    },
  );

  it.each(['recover', 'power-cut'] as const)(
    'loses and doubles nothing when it is gone from any call on (%s)',
    async (end) => {
      const { calls } = await days.measure();
      for (let at = 0; at < calls; at += 1) {
        const first = failures[at % failures.length];
        await days.live(`gone from call ${at}`, {
          seed: at,
          end,
          storeFaults: ({ index }) => (index < at ? undefined : index === at ? first : 'before'),
        });
      }
    },
  );
});

describe('a node that cannot merge', () => {
  it('publishes small sealed files one by one in the end', async () => {
    await days.live('no merge', { mergeFails: () => true });
  });
});
