import { describe, expect, it } from 'vitest';
import {
  FaultyFileSystem,
  type Fault,
  type Operation,
} from '../../test/fixture/faulty-file-system.ts';
import { openLog, writeSegment } from '../../test/fixture/segment-fixture.ts';
import { silentLogger } from '../base/logger.ts';
import { rawEventsSchema } from '../columns/index.ts';
import { loadFingerprints } from './dedup/fingerprint-file.ts';
import { Sealer } from './sealer.ts';

const dedupDirectory = '/data/dedup';

async function openSealer(fileSystem: FaultyFileSystem): Promise<Sealer> {
  await fileSystem.mkdir(dedupDirectory);
  return Sealer.open({
    fileSystem,
    directory: '/data/sealed',
    schema: rawEventsSchema,
    logger: silentLogger,
    dedup: { directory: dedupDirectory, seed: Uint32Array.of(1, 2, 3, 4), windowEvents: 100_000 },
  });
}

describe('Sealer', () => {
  it('gives the sealed file of a segment that is gone already', async () => {
    const disk = new FaultyFileSystem();
    const wal = await openLog(disk);
    const segment = await writeSegment(wal, ['a', 'b']);
    const sealer = await openSealer(disk);
    const file = await sealer.seal(segment);
    await disk.unlink(segment.path);
    expect(await sealer.seal(segment)).toBe(file);
    expect(file.stats.rows).toBe(2);
  });

  it('makes a name durable that a killed process left, before the segment may go', async () => {
    for (let seed = 0; seed < 8; seed += 1) {
      const plan = ({ kind, path }: Operation): Fault | undefined =>
        kind === 'syncDirectory' && path === '/data/sealed' ? 'kill' : undefined;
      const first = new FaultyFileSystem({ seed, plan: () => undefined });
      const segment = await writeSegment(await openLog(first), ['a']);
      await openSealer(first);
      const second = first.restart({ seed, plan, otherwise: 'kill' });
      await expect(openSealer(second)).rejects.toThrow('kill');
      let disk = second.restart({ seed });
      await (await openSealer(disk)).seal(segment);
      const file = await disk.open('/data/sealed/' + segment.segmentId + '.parquet', 'read');
      expect(await file.size()).toBeGreaterThan(0);
      disk = disk.restart({ seed, otherwise: 'power-cut' });
      expect((await openSealer(disk)).files()).toHaveLength(1);
    }
  });

  it('keeps the fingerprints of earlier segments that were merged into those of the last', async () => {
    const segments = 64 * 5;
    const disk = new FaultyFileSystem();
    const wal = await openLog(disk);
    const sealer = await openSealer(disk);
    let last = await writeSegment(wal, ['id 0']);
    await sealer.seal(last);
    for (let index = 1; index < segments; index += 1) {
      last = await writeSegment(wal, [`id ${index}`]);
      await sealer.seal(last);
    }
    const store = { fileSystem: disk, directory: dedupDirectory };
    const merged = await loadFingerprints(store, last.segmentId);
    expect(merged?.fingerprints.length).toBeGreaterThan(4);
    await (await openSealer(disk)).seal(last);
    expect(await loadFingerprints(store, last.segmentId)).toEqual(merged);
  });

  it('tells a full disk from a bug', async () => {
    let isFull = false;
    const disk = new FaultyFileSystem({
      plan: ({ kind }) => (isFull && kind === 'write' ? 'ENOSPC' : undefined),
    });
    const segment = await writeSegment(await openLog(disk), ['a']);
    const sealer = await openSealer(disk);
    isFull = true;
    await expect(sealer.seal(segment)).rejects.toMatchObject({
      code: 'storage_volume_failed',
      details: { errno: 'ENOSPC' },
    });
    isFull = false;
    expect((await sealer.seal(segment)).stats.rows).toBe(1);
  });

  it('does not take a damaged segment for a failure of the disk', async () => {
    const disk = new FaultyFileSystem();
    const segment = await writeSegment(await openLog(disk), ['a']);
    const file = await disk.open(segment.path, 'update');
    await file.write([Uint8Array.of(255)], 100);
    await expect((await openSealer(disk)).seal(segment)).rejects.toMatchObject({
      code: 'wal_corrupt',
    });
  });

  it('names the sealed file that is damaged', async () => {
    const disk = new FaultyFileSystem();
    const sealed = await (
      await openSealer(disk)
    ).seal(await writeSegment(await openLog(disk), ['a']));
    const file = await disk.open(sealed.path, 'update');
    await file.truncate(sealed.stats.sizeBytes - 1);
    await expect(openSealer(disk)).rejects.toMatchObject({
      code: 'storage_corrupt_table',
      details: { file: `${sealed.segmentId}.parquet` },
    });
  });
});
