import { describe, expect, it } from 'vitest';
import type { Fault } from '../../test/fixture/faulty-file-system.ts';
import type { Life } from '../../test/fixture/node-history.ts';
import { DayAfterDay } from '../../test/fixture/ordinary-day.ts';

const days = new DayAfterDay();
const shortLife = {
  steps: [{ kind: 'query' }, { kind: 'wait', seconds: 61 }],
  seed: 7,
} as const;

async function atEveryOperation(
  faultAt: (operation: number) => Fault,
  ...later: readonly Life[]
): Promise<void> {
  const { operations } = await days.measure();
  expect(operations).toBeGreaterThan(100);
  for (let at = 0; at < operations; at += 1) {
    const fault = faultAt(at);
    const diskFaults = ({ index }: { index: number }): Fault | undefined =>
      index === at ? fault : undefined;
    await days.live(`${fault} at operation ${at}`, { seed: at, diskFaults }, ...later);
  }
}

describe('a node whose disk fails at any one operation', { timeout: 60_000 }, () => {
  it('loses and doubles nothing, and recovers by itself from an error', async () => {
    await atEveryOperation((at) => (at % 2 === 0 ? 'EIO' : 'ENOSPC'));
  });

  it('loses and doubles nothing when it is killed, and the power fails soon after', async () => {
    await atEveryOperation(() => 'kill', { ...shortLife, end: 'power-cut' });
  });

  it('loses and doubles nothing when the power fails', async () => {
    await atEveryOperation(() => 'power-cut', { ...shortLife, end: 'kill' });
  });
});

describe('a node whose disk is full for a while', { timeout: 60_000 }, () => {
  it('refuses events, keeps those it has, and goes on by itself', async () => {
    const { operations } = await days.measure();
    for (let from = 0; from < operations; from += 10) {
      await days.live(`full from operation ${from}`, {
        diskFaults: ({ index, kind }) =>
          index >= from && (kind === 'create' || kind === 'write') ? 'ENOSPC' : undefined,
      });
    }
  });
});
