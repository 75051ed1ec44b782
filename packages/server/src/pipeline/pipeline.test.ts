import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../test/fixture/simulated-clock.ts';
import { NodeError } from '../base/errors.ts';
import { silentLogger } from '../base/logger.ts';
import type { ClosedSegment } from '../wal/index.ts';
import { Pipeline, type PipelineOptions } from './pipeline.ts';

const segment: ClosedSegment = {
  segmentId: 's1',
  path: '/wal/s1',
  sequence: 1,
  schemaHash: new Uint8Array(16),
  firstLsn: 1,
  lastLsn: 1,
  rows: 1,
  sizeBytes: 600,
};
const stats = { rows: 1, sizeBytes: 300, columns: [], rowGroups: [] };
const diskFull = new NodeError('storage_volume_failed', 'the disk is full');

function setup(start: Partial<PipelineOptions> = {}) {
  const calls: string[] = [];
  let isFull = false;
  const note = (call: string): Promise<void> => {
    calls.push(call);
    return Promise.resolve();
  };
  const pipeline = new Pipeline({
    ingest: {
      submit: () => Promise.reject(new Error('nothing is submitted here')),
      rotate: () => note('rotate'),
      removeSegment: (segmentId) => note(`removeSegment ${segmentId}`),
      close: () => note('ingest.close'),
    },
    storage: {
      async seal({ segmentId }) {
        await note(`seal ${segmentId}`);
        if (isFull) throw diskFull;
        return { segmentId, path: `/sealed/${segmentId}`, stats };
      },
      markPublishable: (segmentIds) => note(`markPublishable ${segmentIds.join()}`),
      removeSealed: (segmentIds) => note(`removeSealed ${segmentIds.join()}`),
      async flush() {
        await note('flush');
        return { lastError: undefined };
      },
      close: () => note('storage.close'),
    },
    start: {
      sealed: [],
      table: {
        snapshotId: undefined,
        added: [],
        removedKeys: [],
        publishedSegmentIds: [],
        committedAtMs: undefined,
      },
    },
    segments: [],
    localPath: (key) => key,
    unpublishedLimitBytes: 1000,
    clock: new SimulatedClock(),
    logger: silentLogger,
    ...start,
  });
  return { pipeline, calls, fillDisk: (next: boolean) => (isFull = next) };
}

describe('Pipeline', () => {
  it('takes a segment from the log only after it is sealed, and publishes it only after that', async () => {
    const { pipeline, calls } = setup();
    pipeline.onSegmentClosed(segment);
    const pinned = await pipeline.pin();
    expect(Array.from(pinned.files.files(), (file) => file.path)).toEqual(['/sealed/s1']);
    expect(calls.filter((call) => call !== 'rotate')).toEqual([
      'seal s1',
      'removeSegment s1',
      'markPublishable s1',
    ]);
  });

  it('fails a query whose events cannot be made readable, and says so in its health', async () => {
    const { pipeline, fillDisk } = setup();
    fillDisk(true);
    pipeline.onSegmentClosed(segment);
    await expect(pipeline.pin()).rejects.toBe(diskFull);
    expect(pipeline.lastError).toBe('the disk is full');
    fillDisk(false);
    await pipeline.pin();
    expect(pipeline.lastError).toBeUndefined();
  });

  it('stops in order although the last events cannot be sealed', async () => {
    const { pipeline, calls, fillDisk } = setup();
    fillDisk(true);
    pipeline.onSegmentClosed(segment);
    await pipeline.drain();
    expect(calls.slice(-3)).toEqual(['flush', 'ingest.close', 'storage.close']);
  });

  it('says why publishing fails until it succeeds', () => {
    const { pipeline } = setup();
    pipeline.onPublishAttempt('object storage is unavailable');
    expect(pipeline.lastError).toBe('object storage is unavailable');
    pipeline.onPublishAttempt(undefined);
    expect(pipeline.lastError).toBeUndefined();
  });

  it('takes no more once log and sealed files reach the limit, and more again after a publish', async () => {
    const { pipeline } = setup();
    pipeline.onSegmentClosed(segment);
    (await pipeline.pin()).release();
    pipeline.onWalUsage({ segments: 1, bytes: 600, isFailing: false });
    expect(pipeline.isAccepting()).toBe(true);
    pipeline.onWalUsage({ segments: 1, bytes: 700, isFailing: false });
    expect(pipeline.isAccepting()).toBe(false);
    pipeline.onTableChanged({
      snapshotId: '1',
      added: [{ key: 'd1', stats }],
      removedKeys: [],
      publishedSegmentIds: ['s1'],
      committedAtMs: 1,
    });
    expect(pipeline.isAccepting()).toBe(true);
  });

  it('publishes at the start what is sealed, but nothing whose segment is still in the log', async () => {
    const sealed = ['s0', 's1'].map((segmentId) => ({
      segmentId,
      path: `/sealed/${segmentId}`,
      stats,
    }));
    const table = {
      snapshotId: undefined,
      added: [],
      removedKeys: [],
      publishedSegmentIds: [],
      committedAtMs: undefined,
    };
    const { pipeline, calls } = setup({ start: { sealed, table }, segments: [segment] });
    await pipeline.recover(() => undefined);
    expect(calls).toEqual([
      'markPublishable s0',
      'seal s1',
      'removeSegment s1',
      'markPublishable s1',
    ]);
    expect([...(await pipeline.pin()).files.files()]).toHaveLength(2);
  });
});
