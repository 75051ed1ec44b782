import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FaultyFileSystem,
  type Fault,
  type Operation,
} from '../../test/fixture/faulty-file-system.ts';
import type { FileSystem } from '../base/file-system.ts';
import { silentLogger } from '../base/logger.ts';
import { readSegment, WalWriter, type ClosedSegment } from './index.ts';
import { encodeSegmentHeader } from './segment.ts';

const directory = '/data/wal';

function openWriter(fileSystem: FileSystem, segmentMaxBytes = 1 << 20): Promise<WalWriter> {
  const schemaHash = new Uint8Array(16).fill(7);
  return WalWriter.open({
    directory,
    fileSystem,
    logger: silentLogger,
    schemaHash,
    segmentMaxBytes,
  });
}

async function textsOf(
  fileSystem: FileSystem,
  segments: readonly ClosedSegment[],
): Promise<string[]> {
  const texts: string[] = [];
  for (const { path } of segments) {
    for await (const { payload } of readSegment({ fileSystem, path })) {
      texts.push(Buffer.from(payload).toString());
    }
  }
  return texts;
}

/** Appends one record per text and closes the segment. */
async function writeSegment(writer: WalWriter, texts: readonly string[]): Promise<ClosedSegment> {
  for (const text of texts) await writer.append([Buffer.from(text)], 1);
  const segment = await writer.rotate();
  if (segment === undefined) throw new Error('nothing was written');
  return segment;
}

async function changeFile(
  fileSystem: FileSystem,
  path: string,
  change: (bytes: Uint8Array) => Uint8Array,
): Promise<void> {
  const file = await fileSystem.open(path, 'update');
  const bytes = new Uint8Array(await file.size());
  await file.read(bytes, 0);
  const changed = change(bytes);
  await file.truncate(changed.byteLength);
  await file.write([changed], 0);
  await file.syncData();
  await file.close();
}

describe('WalWriter', () => {
  test('gives back what was appended, with rising LSNs over segments', async () => {
    const fileSystem = new FaultyFileSystem();
    const writer = await openWriter(fileSystem);
    const first = await writeSegment(writer, ['a', 'bb']);
    const second = await writeSegment(writer, ['ccc']);
    expect(await writer.rotate()).toBeUndefined();
    expect(first).toMatchObject({ firstLsn: 1, lastLsn: 2, rows: 2 });
    expect(second).toMatchObject({ firstLsn: 3, lastLsn: 3, rows: 1 });
    expect(await textsOf(fileSystem, writer.unsealedSegments())).toEqual(['a', 'bb', 'ccc']);
  });

  test('closes a segment that has grown to its limit and tells of it', async () => {
    const fileSystem = new FaultyFileSystem();
    const closed: ClosedSegment[] = [];
    const writer = await WalWriter.open({
      directory,
      fileSystem,
      logger: silentLogger,
      schemaHash: new Uint8Array(16),
      segmentMaxBytes: 200,
      onSegmentClosed: (segment) => closed.push(segment),
    });
    for (let index = 0; index < 5; index += 1) await writer.append([new Uint8Array(64)], 1);
    expect(closed.map((segment) => segment.lastLsn)).toEqual([2, 4]);
    expect(writer.status).toMatchObject({ segments: 3, isFailing: false });
  });

  test('numbers segments and records on after everything was sealed and the node restarted', async () => {
    const fileSystem = new FaultyFileSystem();
    const writer = await openWriter(fileSystem);
    const first = await writeSegment(writer, ['a', 'b']);
    await writer.remove(first.segmentId);
    await writer.close();
    const next = await writeSegment(await openWriter(fileSystem), ['c']);
    expect(next.sequence).toBeGreaterThan(first.sequence);
    expect(next.firstLsn).toBe(3);
  });

  test('refuses while the disk is full and accepts again afterwards', async () => {
    let isFull = false;
    const plan = ({ kind }: Operation): Fault | undefined =>
      isFull && (kind === 'write' || kind === 'create') ? 'ENOSPC' : undefined;
    const fileSystem = new FaultyFileSystem({ plan });
    const writer = await openWriter(fileSystem);
    await writer.append([Buffer.from('before')], 1);
    isFull = true;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(writer.append([Buffer.from('during')], 1)).rejects.toMatchObject({
        code: 'wal_write_failed',
        details: { errno: 'ENOSPC' },
      });
    }
    isFull = false;
    await writer.append([Buffer.from('after')], 1);
    await writer.rotate();
    expect(await textsOf(fileSystem, writer.unsealedSegments())).toEqual(['before', 'after']);
  });

  test('stays failed until the unsynced tail can be cut', async () => {
    let isBroken = false;
    const plan = ({ kind }: Operation): Fault | undefined =>
      isBroken && (kind === 'syncData' || kind === 'truncate') ? 'EIO' : undefined;
    const fileSystem = new FaultyFileSystem({ plan });
    const writer = await openWriter(fileSystem);
    await writer.append([Buffer.from('before')], 1);
    isBroken = true;
    await expect(writer.append([Buffer.from('lost')], 1)).rejects.toThrow();
    expect(writer.status.isFailing).toBe(true);
    await expect(writer.rotate()).rejects.toMatchObject({ code: 'wal_write_failed' });
    isBroken = false;
    await writer.append([Buffer.from('after')], 1);
    expect(writer.status.isFailing).toBe(false);
    const restarted = await openWriter(fileSystem.restart({ otherwise: 'power-cut' }));
    expect(restarted.unsealedSegments().map((segment) => segment.lastLsn)).toEqual([1, 2]);
  });

  test('keeps a record through a power cut that an earlier failed sync had left in memory only', async () => {
    let isBroken = false;
    const plan = ({ kind }: Operation): Fault | undefined =>
      isBroken && (kind === 'syncData' || kind === 'truncate') ? 'EIO' : undefined;
    for (let seed = 0; seed < 8; seed += 1) {
      isBroken = false;
      let disk = new FaultyFileSystem({ seed, plan });
      const writer = await openWriter(disk);
      await writer.append([Buffer.from('before')], 1);
      isBroken = true;
      await expect(writer.append([new Uint8Array(4000).fill(65)], 1)).rejects.toThrow();
      isBroken = false;
      disk = disk.restart({ seed, otherwise: 'kill' });
      const lastLsns = async (): Promise<number[]> =>
        (await openWriter(disk)).unsealedSegments().map((segment) => segment.lastLsn);
      expect(await lastLsns()).toEqual([2]);
      disk = disk.restart({ seed, otherwise: 'power-cut' });
      expect(await lastLsns()).toEqual([2]);
    }
  });
});

describe('replay', () => {
  test('refuses records of another schema, and takes a log that only once held some', async () => {
    const fileSystem = new FaultyFileSystem();
    const writer = await openWriter(fileSystem);
    const segment = await writeSegment(writer, ['other']);
    const reopen = (): Promise<WalWriter> =>
      WalWriter.open({
        directory,
        fileSystem,
        logger: silentLogger,
        schemaHash: new Uint8Array(16).fill(8),
        segmentMaxBytes: 1 << 20,
      });
    await expect(reopen()).rejects.toMatchObject({
      code: 'wal_corrupt',
      details: { segment: `${segment.segmentId}.wal` },
    });
    await writer.remove(segment.segmentId);
    expect((await reopen()).unsealedSegments()).toEqual([]);
  });

  test('cuts a torn tail of the newest segment at the last whole record, whatever the tail holds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 4 }),
        fc.uint8Array({ maxLength: 200 }),
        fc.nat(1000),
        async (texts, garbage, keep) => {
          const fileSystem = new FaultyFileSystem();
          const segment = await writeSegment(await openWriter(fileSystem), [...texts, 'unsynced']);
          let cut = 0;
          await changeFile(fileSystem, segment.path, (bytes) => {
            cut = bytes.byteLength - 40 + (keep % 40);
            return Buffer.concat([bytes.subarray(0, cut), garbage]);
          });
          const writer = await openWriter(fileSystem);
          const found = await textsOf(fileSystem, writer.unsealedSegments());
          expect([texts, [...texts, 'unsynced']]).toContainEqual(found);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('stops at a changed byte of any record but the last', async () => {
    // Lengths without padding: padding is the one thing no checksum covers.
    const texts = ['an event', 'two of these 16.', 'the last'];
    const pristine = new FaultyFileSystem();
    const { sizeBytes } = await writeSegment(await openWriter(pristine), texts);
    const lastRecordBytes = 32 + 8;
    for (let at = 0; at < sizeBytes - lastRecordBytes; at += 1) {
      const fileSystem = new FaultyFileSystem();
      const segment = await writeSegment(await openWriter(fileSystem), texts);
      await changeFile(fileSystem, segment.path, (bytes) => {
        bytes[at] = (bytes[at] ?? 0) ^ 0x10;
        return bytes;
      });
      await expect(openWriter(fileSystem), `byte ${at}`).rejects.toMatchObject({
        code: 'wal_corrupt',
        details: { segment: expect.stringContaining('.wal'), offset: expect.any(Number) },
      });
    }
  });

  test('stops when an older segment has lost whole records at its end', async () => {
    const fileSystem = new FaultyFileSystem();
    const writer = await openWriter(fileSystem);
    const first = await writeSegment(writer, ['a', 'b']);
    await writeSegment(writer, ['c']);
    await changeFile(fileSystem, first.path, (bytes) => bytes.slice(0, 64 + 40));
    await expect(openWriter(fileSystem)).rejects.toMatchObject({
      code: 'wal_corrupt',
      details: { offset: 64 + 40 },
    });
  });

  test('stops when the last record of an older segment is torn', async () => {
    const fileSystem = new FaultyFileSystem();
    const writer = await openWriter(fileSystem);
    const first = await writeSegment(writer, ['a', 'b']);
    await writeSegment(writer, ['c']);
    await changeFile(fileSystem, first.path, (bytes) => bytes.slice(0, -3));
    await expect(openWriter(fileSystem)).rejects.toMatchObject({ code: 'wal_corrupt' });
    const file = await fileSystem.open(first.path, 'read');
    expect(await file.size()).toBe(first.sizeBytes - 3);
  });

  test('cuts an older segment whose successor proves that only unacknowledged bytes follow', async () => {
    const fileSystem = new FaultyFileSystem();
    const writer = await openWriter(fileSystem);
    const first = await writeSegment(writer, ['a', 'b']);
    await writeSegment(writer, ['c']);
    await changeFile(fileSystem, first.path, (bytes) =>
      Buffer.concat([bytes, Buffer.alloc(77, 3)]),
    );
    const restarted = await openWriter(fileSystem);
    expect(await textsOf(fileSystem, restarted.unsealedSegments())).toEqual(['a', 'b', 'c']);
  });

  test('is not fooled by an event body that contains a copy of a record', async () => {
    const other = new FaultyFileSystem();
    const source = await writeSegment(await openWriter(other), ['a', 'b', 'c']);
    const copy = new Uint8Array(source.sizeBytes);
    await (await other.open(source.path, 'read')).read(copy, 0);

    const fileSystem = new FaultyFileSystem();
    const writer = await openWriter(fileSystem);
    await writer.append([Buffer.from('kept')], 1);
    await writer.append([copy], 1);
    const segment = await writer.rotate();
    if (segment === undefined) throw new Error('nothing was written');
    await changeFile(fileSystem, segment.path, (bytes) => bytes.slice(0, -8));
    const restarted = await openWriter(fileSystem);
    expect(await textsOf(fileSystem, restarted.unsealedSegments())).toEqual(['kept']);
  });

  test('names a segment of a newer format version', async () => {
    const fileSystem = new FaultyFileSystem();
    await fileSystem.mkdir(directory);
    const salt = new Uint8Array(8);
    const header = encodeSegmentHeader({
      sequence: 1,
      firstLsn: 1,
      schemaHash: new Uint8Array(16),
      salt,
    });
    const view = new DataView(header.buffer);
    view.setUint32(8, 9, true);
    view.setUint32(60, crc32(header.subarray(0, 60)), true);
    const file = await fileSystem.open(`${directory}/000000000001-0000000000000000.wal`, 'create');
    await file.write([header], 0);
    await expect(openWriter(fileSystem)).rejects.toMatchObject({
      code: 'wal_corrupt',
      details: { version: 9 },
    });
  });
});
