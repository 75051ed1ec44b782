import { describe, expect, it } from 'vitest';
import { FaultyFileSystem, type FaultPlan } from '../../test/fixture/faulty-file-system.ts';
import { openLog } from '../../test/fixture/segment-fixture.ts';
import { SimulatedClock } from '../../test/fixture/simulated-clock.ts';
import { silentLogger } from '../base/logger.ts';
import type { ClosedSegment } from '../wal/index.ts';
import type { WalUsage } from './pipeline.ts';
import { SegmentRotation } from './segment-rotation.ts';

async function setup(plan: FaultPlan = () => undefined) {
  let isBroken = false;
  const disk = new FaultyFileSystem({
    plan: (operation) => (isBroken ? 'EIO' : plan(operation)),
  });
  const wal = await openLog(disk);
  const clock = new SimulatedClock();
  const closed: ClosedSegment[] = [];
  const usage: WalUsage[] = [];
  const rotation = new SegmentRotation({
    wal,
    clock,
    logger: silentLogger,
    sealIntervalMs: 1000,
    onSegmentClosed: (segment) => closed.push(segment),
    onUsage: (latest) => usage.push(latest),
  });
  const pass = async (): Promise<void> => {
    clock.advance(1000);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { rotation, closed, usage, pass, breakDisk: (next: boolean) => (isBroken = next) };
}

describe('SegmentRotation', () => {
  it('closes a segment by age, once', async () => {
    const { rotation, closed, pass } = await setup();
    await rotation.append([Buffer.from('a')], 1);
    await pass();
    await pass();
    expect(closed.map((segment) => segment.rows)).toEqual([1]);
  });

  it('closes what was acknowledged before a failure even if nothing is appended any more', async () => {
    const { rotation, closed, pass, breakDisk } = await setup();
    await rotation.append([Buffer.from('a')], 1);
    breakDisk(true);
    await expect(rotation.append([Buffer.from('b')], 1)).rejects.toThrow();
    await pass();
    expect(closed).toEqual([]);
    breakDisk(false);
    await pass();
    expect(closed.map((segment) => segment.rows)).toEqual([1]);
  });

  it('reports that events are refused, also where the log itself is whole', async () => {
    let isFull = true;
    const { rotation, usage, pass } = await setup(({ kind }) =>
      isFull && kind === 'write' ? 'ENOSPC' : undefined,
    );
    await expect(rotation.append([Buffer.from('a')], 1)).rejects.toThrow();
    await pass();
    expect(usage.at(-1)?.isFailing).toBe(true);
    isFull = false;
    await rotation.append([Buffer.from('a')], 1);
    await pass();
    expect(usage.at(-1)?.isFailing).toBe(false);
  });

  it('begins nothing once it was stopped', async () => {
    const { rotation, closed, pass } = await setup();
    await rotation.append([Buffer.from('a')], 1);
    rotation.stop();
    await rotation.append([Buffer.from('b')], 1);
    await pass();
    expect(closed).toEqual([]);
  });
});
