import { basename } from 'node:path';
import { NodeError } from '../base/errors.ts';
import type { FileSystem } from '../base/file-system.ts';
import { ChunkedSource, SegmentCursor, type WalRecord } from './segment-cursor.ts';
import { segmentFileName, segmentIdOf } from './segment.ts';

export interface ReadOptions {
  readonly fileSystem: FileSystem;
  readonly path: string;
}

const streamChunkBytes = 1 << 20;

/**
 * The records of a closed segment in the order they were acknowledged, one chunk (1 MiB or one record, whichever is
 * larger) in memory at a time. Throws `wal_corrupt` at the first byte that is not part of a whole record: torn
 * tails were cut when the log was opened, so nothing else than damage is left to explain it.
 */
export async function* readSegment(options: ReadOptions): AsyncGenerator<WalRecord, void> {
  yield* readStrictly(options, streamChunkBytes);
}

/**
 * All records of a closed segment from one read of the file, for sealing. Payloads are views of one buffer, the one
 * that `allocate` gives for the size of the file, in ascending order. Otherwise as `readSegment`.
 */
export async function readWholeSegment(
  options: ReadOptions & { readonly allocate?: (bytes: number) => Uint8Array },
): Promise<WalRecord[]> {
  const records: WalRecord[] = [];
  for await (const record of readStrictly(options, Number.MAX_SAFE_INTEGER)) records.push(record);
  return records;
}

async function* readStrictly(
  options: ReadOptions & { readonly allocate?: (bytes: number) => Uint8Array },
  chunkBytes: number,
): AsyncGenerator<WalRecord, void> {
  const file = await options.fileSystem.open(options.path, 'read');
  try {
    const sizeBytes = await file.size();
    const source = new ChunkedSource(file, { sizeBytes, chunkBytes }, options.allocate);
    const cursor = await SegmentCursor.open(source);
    if (!(cursor instanceof SegmentCursor)) throw corruptSegment(options.path, 0);
    if (basename(options.path) !== segmentFileName(segmentIdOf(cursor.header))) {
      throw corruptSegment(options.path, 0);
    }
    for (;;) {
      const record = await cursor.next();
      if (record === undefined) break;
      yield record;
    }
    if (!cursor.isAtEnd) throw corruptSegment(options.path, cursor.offset);
  } finally {
    await file.close();
  }
}

export function corruptSegment(path: string, offset: number): NodeError {
  return new NodeError(
    'wal_corrupt',
    'a segment of the write-ahead log is damaged; restore the file or move it aside to give up its events',
    { details: { segment: basename(path), offset }, internal: { path } },
  );
}
