import { describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import type { ClosedSegment } from '../wal/index.ts';
import { SealQueue } from './seal-queue.ts';

const segment = (sequence: number): ClosedSegment => ({
  segmentId: `segment-${sequence}`,
  path: `/wal/${sequence}`,
  sequence,
  schemaHash: new Uint8Array(),
  firstLsn: sequence,
  lastLsn: sequence,
  rows: 1,
  sizeBytes: 1,
});

function setup() {
  const sealed: string[] = [];
  let failures = 0;
  const retries: (() => void)[] = [];
  const queue = new SealQueue({
    logger: silentLogger,
    clock: {
      ...systemClock,
      after: (_delayMs, callback) => (retries.push(callback), () => undefined),
    },
    async seal({ segmentId }) {
      await Promise.resolve();
      if (failures-- > 0) throw new Error('no space');
      sealed.push(segmentId);
    },
  });
  return { queue, sealed, retries, failNext: (count: number) => (failures = count) };
}

describe('SealQueue', () => {
  it('seals in log order and each segment once', async () => {
    const { queue, sealed } = setup();
    queue.add(segment(1));
    queue.add(segment(1));
    queue.add(segment(2));
    await queue.drained();
    expect(sealed).toEqual(['segment-1', 'segment-2']);
    await queue.drained();
  });

  it('tells waiters of a failure, keeps the segment and tries it again', async () => {
    const { queue, sealed, retries, failNext } = setup();
    failNext(1);
    queue.add(segment(1));
    queue.add(segment(2));
    await expect(queue.drained()).rejects.toThrow('no space');
    expect(queue).toMatchObject({ depth: 2, lastError: 'no space' });
    retries.at(-1)?.();
    await queue.drained();
    expect(sealed).toEqual(['segment-1', 'segment-2']);
    expect(queue).toMatchObject({ depth: 0, lastError: undefined });
  });

  it('plans one retry, however many queries ask while it fails', async () => {
    const { queue, retries, failNext } = setup();
    failNext(100);
    queue.add(segment(1));
    for (let query = 0; query < 10; query += 1) {
      await expect(queue.drained()).rejects.toThrow('no space');
    }
    expect(retries).toHaveLength(1);
  });
});
