import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../base/clock.ts';
import { nodeFileSystem } from '../base/node-file-system.ts';
import { createLogger } from '../telemetry/index.ts';
import { schemaHashBytes, WalWriter } from '../wal/index.ts';
import { SegmentRotation } from './segment-rotation.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-rotation-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

const sealIntervalMs = 1000;

/** Time stands still; timers are only kept. */
class ManualClock implements Clock {
  readonly timers: { readonly delayMs: number; run: () => void }[] = [];

  nowMs(): number {
    return 0;
  }

  monotonicMs(): number {
    return 0;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { delayMs, run };
    this.timers.push(timer);
    return () => {
      const at = this.timers.indexOf(timer);
      if (at !== -1) this.timers.splice(at, 1);
    };
  }

  sleep(): Promise<void> {
    return Promise.resolve();
  }

  ageTimers(): number {
    return this.timers.filter((timer) => timer.delayMs === sealIntervalMs).length;
  }
}

describe('SegmentRotation', () => {
  it('counts the age of a segment from when the one before it was closed for its size', async () => {
    const clock = new ManualClock();
    const logger = createLogger({ level: 'fatal', format: 'json' });
    const closed: string[] = [];
    const remaining: number[] = [];
    await using wal = await WalWriter.open({
      directory,
      fileSystem: nodeFileSystem,
      logger,
      schemaHash: new Uint8Array(schemaHashBytes),
      segmentMaxBytes: 1000,
      onSegmentClosed(segment) {
        rotation.noteClosedByLog();
        remaining.push(clock.ageTimers());
        closed.push(segment.segmentId);
      },
    });
    const rotation = new SegmentRotation({
      wal,
      clock,
      logger,
      sealIntervalMs,
      onSegmentClosed: (segment) => closed.push(segment.segmentId),
      onUsage: () => undefined,
    });
    await rotation.append([new Uint8Array(100)], 1);
    expect(clock.ageTimers()).toBe(1);
    await rotation.append([new Uint8Array(2000)], 1);
    expect(closed.length).toBe(1);
    // The timer of the closed segment is gone; the append that closed it started that of the next.
    expect(remaining).toEqual([0]);
    expect(clock.ageTimers()).toBe(1);
    rotation.stop();
  });
});
