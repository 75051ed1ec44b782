import { describe, expect, it } from 'vitest';
import { mergeEventFiles } from '../../test/fixture/event-files.ts';
import {
  FaultyFileSystem,
  type Fault,
  type Operation,
} from '../../test/fixture/faulty-file-system.ts';
import { openLog, writeSegment } from '../../test/fixture/segment-fixture.ts';
import { BucketConnection, SimulatedBucket } from '../../test/fixture/simulated-bucket.ts';
import { SimulatedClock } from '../../test/fixture/simulated-clock.ts';
import { readFile } from '../base/durable-file.ts';
import { silentLogger } from '../base/logger.ts';
import { rawEventsSchema } from '../columns/index.ts';
import { LakeTable, type SealedFile } from '../lake/index.ts';
import { Publisher } from './publisher.ts';
import { Sealer } from './sealer.ts';

/** A bucket, and a disk with a sealed file for each of the numbers, which is how many events it holds. */
async function setup(rows: readonly number[]) {
  let plan: (operation: Operation) => Fault | undefined = () => undefined;
  const calls: string[] = [];
  let isAway = (_method: string): boolean => false;
  let failingMerges = 0;
  const disk = new FaultyFileSystem({ plan: (operation) => plan(operation) });
  const store = new BucketConnection({
    bucket: new SimulatedBucket(),
    disk,
    seed: 1,
    plan: ({ method, key }) => {
      calls.push(`${method} ${key}`);
      return isAway(method) ? 'before' : undefined;
    },
  });
  await disk.mkdir('/data/dedup');
  const sealer = await Sealer.open({
    fileSystem: disk,
    directory: '/data/sealed',
    schema: rawEventsSchema,
    logger: silentLogger,
    dedup: { directory: '/data/dedup', seed: Uint32Array.of(1, 2, 3, 4), windowEvents: 1000 },
  });
  const wal = await openLog(disk);
  const sealed: SealedFile[] = [];
  for (const [file, count] of rows.entries()) {
    const ids = Array.from({ length: count }, (_, row) => `${file}-${row}`);
    sealed.push(await sealer.seal(await writeSegment(wal, ids)));
  }
  const clock = new SimulatedClock();
  const open = async (maxBytes = 1 << 20) => {
    const table = await LakeTable.open({
      store,
      schema: rawEventsSchema,
      nodeId: 'node-1',
      clock,
    });
    const publisher = await Publisher.open({
      store,
      table,
      fileSystem: disk,
      directory: '/data/publish',
      maxBytes,
      logger: silentLogger,
      async merge({ sources, target }) {
        const file = await disk.open(target, 'replace');
        if (failingMerges-- > 0) throw new Error('out of memory');
        const contents = await Promise.all(sources.map((source) => readFile(disk, source)));
        await file.write([mergeEventFiles(contents)], 0);
      },
    });
    return { publisher, table };
  };
  return {
    disk,
    sealed,
    calls,
    open,
    failDisk: (next: typeof plan) => (plan = next),
    failStore: (next: typeof isAway) => (isAway = next),
    failMerges: (count: number) => (failingMerges = count),
  };
}

const never = (): undefined => undefined;

describe('Publisher', () => {
  it('carries on with the intent that may be on disk when writing it failed', async () => {
    const { disk, sealed, open, failDisk } = await setup([1, 2]);
    const { publisher, table } = await open();
    failDisk(({ kind, path }) =>
      kind === 'syncDirectory' && path === '/data/publish' ? 'EIO' : undefined,
    );
    await expect(publisher.publish(sealed)).rejects.toThrow('EIO');
    failDisk(never);
    const { segmentIds } = await publisher.publish(sealed);
    expect(segmentIds).toEqual(sealed.map((file) => file.segmentId));
    expect(table.current().totals).toMatchObject({ files: 1, rows: 3 });
    await publisher.release(segmentIds);
    expect(await disk.readdir('/data/publish')).toEqual([]);
  });

  it('takes a publish for done although a merged file cannot be removed', async () => {
    const { sealed, open, failDisk } = await setup([1, 1]);
    const { publisher, table } = await open();
    failDisk(({ kind, path }) =>
      kind === 'unlink' && path.endsWith('.parquet') ? 'EIO' : undefined,
    );
    const { segmentIds } = await publisher.publish(sealed);
    expect(segmentIds).toHaveLength(2);
    expect(table.current().totals.rows).toBe(2);
  });

  it('uploads nothing again when only a later step failed', async () => {
    const { sealed, calls, open, failStore } = await setup([1, 2]);
    const { publisher, table } = await open();
    failStore((method) => method === 'putIfAbsent');
    await expect(publisher.publish(sealed)).rejects.toMatchObject({ code: 'storage_unavailable' });
    failStore(() => false);
    await publisher.publish(sealed);
    expect(table.current().totals.rows).toBe(3);
    expect(calls.filter((call) => call.startsWith('putFile'))).toHaveLength(1);
  });

  it('names the objects of a publish until it is finished', async () => {
    const { sealed, open, failDisk } = await setup([1]);
    const { publisher, table } = await open();
    const isMark = ({ kind, path }: Operation): boolean =>
      kind === 'rename' && path.endsWith('.json') && table.current().files.length > 0;
    failDisk((operation) => (isMark(operation) ? 'EIO' : undefined));
    await expect(publisher.publish(sealed)).rejects.toThrow('EIO');
    expect([...publisher.pendingKeys()]).toEqual(table.current().files.map((file) => file.key));
    failDisk(never);
    await publisher.publish(sealed);
    expect(publisher.pendingKeys().size).toBe(0);
    expect(table.current().totals.rows).toBe(1);
  });

  it('publishes a backlog in parts, oldest first', async () => {
    const { sealed, open } = await setup([1, 2, 3]);
    const [first, second, third] = sealed;
    if (!first || !second || !third) throw new Error('three files were sealed');
    const { publisher } = await open(first.stats.sizeBytes + second.stats.sizeBytes);
    const parts: (readonly string[])[] = [];
    for (const left of [[third, second, first], [third]]) {
      parts.push((await publisher.publish(left)).segmentIds);
    }
    expect(parts).toEqual([[first.segmentId, second.segmentId], [third.segmentId]]);
  });

  it('gives up merging after three failures, and leaves nothing of them on disk', async () => {
    const { disk, sealed, open, failMerges } = await setup([1, 2]);
    const { publisher, table } = await open();
    failMerges(3);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(publisher.publish(sealed)).rejects.toThrow('out of memory');
      expect(await disk.readdir('/data/publish')).toHaveLength(1);
    }
    expect((await publisher.publish(sealed)).files).toHaveLength(2);
    expect(table.current().totals).toMatchObject({ files: 2, rows: 3 });
  });

  it('does not merge again what an earlier process merged', async () => {
    const { sealed, open, failStore, failMerges } = await setup([1, 2]);
    failStore((method) => method === 'putIfAbsent');
    const first = await open().catch(() => undefined);
    expect(first).toBeUndefined();
    failStore(() => false);
    const { publisher } = await open();
    failStore((method) => method === 'putIfAbsent');
    await expect(publisher.publish(sealed)).rejects.toThrow();
    failStore(() => false);
    failMerges(100);
    const second = await open();
    await second.publisher.publish(sealed);
    expect(second.table.current().totals).toMatchObject({ files: 1, rows: 3 });
  });
});
