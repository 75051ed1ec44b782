/**
 * Brings the log's directory into the state the writer relies on, before anything is appended.
 *
 * What a crash may leave, and how it heals here:
 * - a torn tail in the newest segment. At most one record is ever unsynced, so whatever follows the last whole record
 *   was never acknowledged, unless a further record header stands behind it (then the segment is damaged and the
 *   node stops). The tail is cut and the cut is synced;
 * - a whole last record of which nobody knows whether it was synced. It is kept; it may have been acknowledged. It is
 *   written once more before the sync, because after a failed sync an operating system may hold the pages for clean
 *   although the disk never took them;
 * - a segment whose header was never synced. Nothing can have been appended to it; it is removed;
 * - a name that is not durable yet. The directory is synced.
 * An older segment with anything but whole records in it was complete when its successor was made: damage.
 */
import { basename, join } from 'node:path';

import { NodeError } from '../base/errors.ts';
import type { FileSystem, OpenFile } from '../base/file-system.ts';
import type { Logger } from '../base/logger.ts';
import { corruptSegment } from './reader.ts';
import { ChunkedSource, SegmentCursor } from './segment-cursor.ts';
import {
  segmentFileName,
  segmentHeaderBytes,
  segmentIdOf,
  sequenceOfFileName,
  type SegmentHeader,
} from './segment.ts';

/** A segment nothing is appended to any more. Plain data: it crosses thread boundaries by structured clone. */
export interface ClosedSegment {
  readonly segmentId: string;
  readonly path: string;
  readonly sequence: number;
  readonly schemaHash: Uint8Array;
  readonly firstLsn: number;
  /** `firstLsn - 1` where the segment holds no record. */
  readonly lastLsn: number;
  readonly rows: number;
  readonly sizeBytes: number;
}

export interface RecoveredLog {
  /** Oldest first, empty ones included. */
  readonly segments: readonly ClosedSegment[];
  readonly nextSequence: number;
  readonly nextLsn: number;
}

export interface RecoverOptions {
  readonly directory: string;
  readonly fileSystem: FileSystem;
  readonly logger: Logger;
}

const scanChunkBytes = 1 << 20;

/** Throws `wal_corrupt`, naming file and offset, where acknowledged records are damaged. Changes nothing then. */
export async function recoverLog(options: RecoverOptions): Promise<RecoveredLog> {
  const files = await listSegmentFiles(options);
  const segments: ClosedSegment[] = [];
  const unfinished: string[] = [];
  for (const [index, file] of files.entries()) {
    const isNewest = index === files.length - 1;
    const segment = await recoverSegment(options, { path: file.path, isNewest });
    if (segment === undefined) unfinished.push(file.path);
    else segments.push(segment);
  }
  checkContinuity(segments);
  for (const path of unfinished) {
    options.logger.warn({ path }, 'removing a segment that was never completely created');
    await options.fileSystem.unlink(path);
  }
  await options.fileSystem.syncDirectory(options.directory);
  return {
    segments,
    nextSequence: (files.at(-1)?.sequence ?? 0) + 1,
    nextLsn: (segments.at(-1)?.lastLsn ?? 0) + 1,
  };
}

async function listSegmentFiles(
  options: RecoverOptions,
): Promise<{ readonly path: string; readonly sequence: number }[]> {
  const files: { path: string; sequence: number }[] = [];
  for (const name of await options.fileSystem.readdir(options.directory)) {
    const sequence = sequenceOfFileName(name);
    if (sequence !== undefined) files.push({ path: join(options.directory, name), sequence });
  }
  return files.sort((a, b) => a.sequence - b.sequence);
}

interface SegmentPlace {
  readonly path: string;
  readonly isNewest: boolean;
}

/** Undefined for a segment whose header was never completed. */
async function recoverSegment(
  options: RecoverOptions,
  place: SegmentPlace,
): Promise<ClosedSegment | undefined> {
  const file = await options.fileSystem.open(place.path, place.isNewest ? 'update' : 'read');
  try {
    const sizeBytes = await file.size();
    const source = new ChunkedSource(file, sizeBytes, scanChunkBytes);
    const cursor = await SegmentCursor.open(source);
    if (!(cursor instanceof SegmentCursor)) {
      if (cursor.kind === 'unknown-version') throw unknownVersion(place.path, cursor.version);
      if (await hasContent(source)) throw corruptSegment(place.path, 0);
      return undefined;
    }
    if (basename(place.path) !== segmentFileName(segmentIdOf(cursor.header))) {
      throw corruptSegment(place.path, 0);
    }
    const { rows, lastRecordOffset } = await countRecords(cursor);
    if (!cursor.isAtEnd) {
      const isDamaged = !place.isNewest || (await cursor.findLaterHeader()) !== undefined;
      if (isDamaged) throw corruptSegment(place.path, cursor.offset);
      const cutBytes = sizeBytes - cursor.offset;
      options.logger.warn({ path: place.path, offset: cursor.offset, cutBytes }, 'cutting a torn tail');
      await file.truncate(cursor.offset);
    }
    if (place.isNewest) await syncAgain(file, { from: lastRecordOffset, to: cursor.offset });
    return describe(cursor.header, {
      path: place.path,
      nextLsn: cursor.nextLsn,
      rows,
      sizeBytes: cursor.offset,
    });
  } finally {
    await file.close();
  }
}

async function countRecords(
  cursor: SegmentCursor,
): Promise<{ readonly rows: number; readonly lastRecordOffset: number }> {
  let rows = 0;
  let lastRecordOffset = 0;
  for (;;) {
    const record = await cursor.next();
    if (record === undefined) return { rows, lastRecordOffset };
    rows += record.rows;
    lastRecordOffset = record.offset;
  }
}

/** Writes the one record that may be unsynced (or the header, where there is none) again, then syncs. */
async function syncAgain(
  file: OpenFile,
  range: { readonly from: number; readonly to: number },
): Promise<void> {
  const bytes = new Uint8Array(range.to - range.from);
  await file.read(bytes, range.from);
  await file.write([bytes], range.from);
  await file.syncData();
}

/** Nothing but zeros can follow a header that was never synced. */
async function hasContent(source: ChunkedSource): Promise<boolean> {
  for (let offset = segmentHeaderBytes; offset < source.sizeBytes; offset += scanChunkBytes) {
    const chunk = await source.read(offset, scanChunkBytes);
    if (chunk.some((byte) => byte !== 0)) return true;
  }
  return false;
}

/** LSNs are dense: a hole between neighbours means that whole records are missing from the end of the older one. */
function checkContinuity(segments: readonly ClosedSegment[]): void {
  let previous: ClosedSegment | undefined;
  for (const segment of segments) {
    if (previous !== undefined) {
      const isNeighbour = segment.sequence === previous.sequence + 1;
      const isDense = segment.firstLsn === previous.lastLsn + 1;
      const isOrdered = segment.firstLsn > previous.lastLsn;
      if (isNeighbour ? !isDense : !isOrdered) {
        throw corruptSegment(previous.path, previous.sizeBytes);
      }
    }
    previous = segment;
  }
}

export function describe(
  header: SegmentHeader,
  contents: {
    readonly path: string;
    readonly nextLsn: number;
    readonly rows: number;
    readonly sizeBytes: number;
  },
): ClosedSegment {
  return {
    segmentId: segmentIdOf(header),
    path: contents.path,
    sequence: header.sequence,
    schemaHash: header.schemaHash,
    firstLsn: header.firstLsn,
    lastLsn: contents.nextLsn - 1,
    rows: contents.rows,
    sizeBytes: contents.sizeBytes,
  };
}

function unknownVersion(path: string, version: number): NodeError {
  return new NodeError(
    'wal_corrupt',
    'a segment of the write-ahead log was written by a newer version; start that version to seal it',
    { details: { segment: basename(path), version }, internal: { path } },
  );
}
