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
 * An older segment was complete when its successor was made. It is damaged unless its whole records reach to the first
 * record of the successor; what follows them then is a tail whose cut was lost, and is cut again.
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
  const inspections: Inspection[] = [];
  const unfinished: string[] = [];
  for (const { path } of files) {
    const inspection = await inspectSegment(options, path);
    if (inspection === undefined) unfinished.push(path);
    else inspections.push(inspection);
  }
  judge(inspections);
  for (const inspection of inspections) {
    await healSegment(options, inspection, inspection === inspections.at(-1));
  }
  for (const path of unfinished) {
    options.logger.warn({ path }, 'removing a segment that was never completely created');
    await options.fileSystem.unlink(path);
  }
  await options.fileSystem.syncDirectory(options.directory);
  return {
    segments: inspections.map((inspection) => inspection.segment),
    nextSequence: (files.at(-1)?.sequence ?? 0) + 1,
    nextLsn: (inspections.at(-1)?.segment.lastLsn ?? 0) + 1,
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

interface Inspection {
  /** Its whole records; `sizeBytes` is where they end. */
  readonly segment: ClosedSegment;
  readonly lastRecordOffset: number;
  /** Bytes behind the last whole record. */
  readonly surplusBytes: number;
  /** A valid record header stands in the surplus. */
  readonly hasLaterHeader: boolean;
}

/** Undefined for a segment whose header was never completed. */
async function inspectSegment(
  options: RecoverOptions,
  path: string,
): Promise<Inspection | undefined> {
  const file = await options.fileSystem.open(path, 'read');
  try {
    const sizeBytes = await file.size();
    const source = new ChunkedSource(file, { sizeBytes, chunkBytes: scanChunkBytes });
    const cursor = await SegmentCursor.open(source);
    if (!(cursor instanceof SegmentCursor)) {
      if (cursor.kind === 'unknown-version') throw unknownVersion(path, cursor.version);
      if (await hasContent(source)) throw corruptSegment(path, 0);
      return undefined;
    }
    if (basename(path) !== segmentFileName(segmentIdOf(cursor.header))) {
      throw corruptSegment(path, 0);
    }
    const { rows, lastRecordOffset } = await countRecords(cursor);
    const { nextLsn, offset } = cursor;
    return {
      segment: describe(cursor.header, { path, nextLsn, rows, sizeBytes: offset }),
      lastRecordOffset,
      surplusBytes: sizeBytes - offset,
      hasLaterHeader: (await cursor.findLaterHeader()) !== undefined,
    };
  } finally {
    await file.close();
  }
}

/**
 * Throws where a record that was acknowledged is missing. LSNs are dense, so a segment whose whole records reach to
 * the first of the next one is complete, whatever follows them; the newest has no successor to show that.
 */
function judge(inspections: readonly Inspection[]): void {
  for (const [index, { segment, surplusBytes, hasLaterHeader }] of inspections.entries()) {
    const next = inspections[index + 1]?.segment;
    const hasSurplus = surplusBytes > 0;
    let isDamaged = hasLaterHeader;
    if (next !== undefined) {
      const mustJoin = hasSurplus || next.sequence === segment.sequence + 1;
      const nextLsn = segment.lastLsn + 1;
      isDamaged = mustJoin ? next.firstLsn !== nextLsn : next.firstLsn < nextLsn;
    }
    if (isDamaged) throw corruptSegment(segment.path, segment.sizeBytes);
  }
}

async function healSegment(
  options: RecoverOptions,
  inspection: Inspection,
  isNewest: boolean,
): Promise<void> {
  const { segment, surplusBytes, lastRecordOffset } = inspection;
  if (surplusBytes === 0 && !isNewest) return;
  const file = await options.fileSystem.open(segment.path, 'update');
  try {
    if (surplusBytes > 0) {
      const { path, sizeBytes } = segment;
      options.logger.warn({ path, offset: sizeBytes, surplusBytes }, 'cutting a torn tail');
      await file.truncate(sizeBytes);
    }
    await syncAgain(file, { from: lastRecordOffset, to: segment.sizeBytes });
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
