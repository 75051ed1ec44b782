import { describe, expect, it } from 'vitest';
import type { Fault } from '../../test/fixture/faulty-file-system.ts';
import type { Life } from '../../test/fixture/node-history.ts';
import { DayAfterDay } from '../../test/fixture/ordinary-day.ts';

const days = new DayAfterDay();
const shortLife = {
  steps: [{ kind: 'query' }, { kind: 'wait', seconds: 61 }],
  seed: 7,
} as const;

async function liveWith(
  faultAt: (operation: number) => Fault,
  ...later: readonly Life[]
): Promise<Error[]> {
  const { operations } = await days.measure();
  return days.liveEach({ count: operations }, (at) => {
    const fault = faultAt(at);
    const diskFaults = ({ index }: { index: number }): Fault | undefined =>
      index === at ? fault : undefined;
    return days.live(`${fault} at operation ${at}`, { seed: at, diskFaults }, ...later);
  });
}

describe('a node whose disk fails at any one operation', { timeout: 60_000 }, () => {
  it('has enough operations to fail at', async () => {
    expect((await days.measure()).operations).toBeGreaterThan(100);
  });

  it('loses and doubles nothing, and recovers by itself from an error', async () => {
    expect(await liveWith((at) => (at % 2 === 0 ? 'EIO' : 'ENOSPC'))).toEqual([]);
  });

  it('loses and doubles nothing when it is killed, and the power fails soon after', async () => {
    expect(await liveWith(() => 'kill', { ...shortLife, end: 'power-cut' })).toEqual([]);
  });

  it('loses and doubles nothing when the power fails', async () => {
    expect(await liveWith(() => 'power-cut', { ...shortLife, end: 'kill' })).toEqual([]);
  });
});

describe('a node whose disk is full for a while', { timeout: 60_000 }, () => {
  it('refuses events, keeps those it has, and goes on by itself', async () => {
    const { operations } = await days.measure();
    const broken = await days.liveEach({ count: operations, step: 10 }, (from) =>
      days.live(`full from operation ${from}`, {
        diskFaults: ({ index, kind }) =>
          index >= from && (kind === 'create' || kind === 'write') ? 'ENOSPC' : undefined,
      }),
    );
    expect(broken).toEqual([]);
  });
});
