/**
 * What this holds: acknowledged events that are not sealed yet, as segment files in one directory.
 * Who writes it: one `WalWriter` per directory; the sealer only reads closed segments and asks for their removal.
 * Ordering: header synced → directory synced → record written → record synced → acknowledged. The next record is
 *   written only after that, so at most one record is unsynced at any time. A segment that failed is cut back to its
 *   last synced byte, and the cut synced, before anything is written elsewhere.
 * A crash at any point leaves: at most one unacknowledged record at the end of the newest segment, or one segment
 *   without a complete header. `recoverLog` heals both when the log is opened.
 * Size bound: none here; the caller stops appending when unpublished data reaches its limit. One segment is at most
 *   `segmentMaxBytes` plus one record. The newest file is kept until a newer one exists, so that segment sequence and
 *   LSN go on rising after every event was sealed.
 */
import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import { assert } from '../base/assert.ts';
import { NodeError } from '../base/errors.ts';
import { errnoCode, type FileSystem, type OpenFile } from '../base/file-system.ts';
import type { Logger } from '../base/logger.ts';
import { describe, recoverLog, type ClosedSegment, type RecoveredLog } from './recovery.ts';
import {
  encodeRecord,
  encodeSegmentHeader,
  saltSeed,
  segmentFileName,
  segmentHeaderBytes,
  segmentIdOf,
  type SegmentHeader,
} from './segment.ts';

export interface WalWriterOptions {
  readonly directory: string;
  readonly fileSystem: FileSystem;
  readonly logger: Logger;
  /** 16 bytes that identify the schema of the payloads; see `schemaHashBytes`. */
  readonly schemaHash: Uint8Array;
  /** A segment is closed once it has grown to this size. */
  readonly segmentMaxBytes: number;
  /** Called for every segment that is closed because of its size or after a failure, not for `rotate`. */
  readonly onSegmentClosed?: (segment: ClosedSegment) => void;
}

interface OpenSegment {
  readonly header: SegmentHeader;
  readonly path: string;
  readonly file: OpenFile;
  readonly seed: number;
  /** Everything before it is synced. */
  syncedBytes: number;
  nextLsn: number;
  rows: number;
}

export interface WalStatus {
  /** Segments with records, the open one included. */
  readonly segments: number;
  readonly bytes: number;
  /** A write failed and has not been undone yet; every append tries again. */
  readonly isFailing: boolean;
}

export class WalWriter {
  readonly #options: WalWriterOptions;
  readonly #closed = new Map<string, ClosedSegment>();
  /** Files without records, kept until a newer segment exists. */
  #emptyPaths: string[] = [];
  #open: OpenSegment | undefined;
  /** A segment whose tail cannot be trusted until it is cut. */
  #failed: OpenSegment | undefined;
  #nextSequence = 1;
  /** Of the segments that surely exist. */
  #newestSequence = 0;
  #nextLsn = 1;
  #isClosed = false;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(options: WalWriterOptions) {
    this.#options = options;
  }

  /**
   * Replays what is there (see `recoverLog`). Throws `wal_corrupt` where acknowledged records are damaged or have
   * another schema, and `wal_write_failed` where the directory cannot be read or written.
   */
  static async open(options: WalWriterOptions): Promise<WalWriter> {
    const log = await recoverOrRefuse(options);
    for (const segment of log.segments) assertSchema(segment, options.schemaHash);
    const writer = new WalWriter(options);
    for (const segment of log.segments) writer.#keepClosed(segment);
    writer.#nextSequence = log.nextSequence;
    writer.#nextLsn = log.nextLsn;
    return writer;
  }

  /**
   * Resolves once the record is synced, never before. Throws `wal_write_failed` where it could not be written or
   * synced; the record is then gone from the log, or, if even that fails, every further append fails until the
   * unsynced tail has been cut off. The pieces must stay unchanged until the promise settles.
   */
  append(pieces: readonly Uint8Array[], rows: number): Promise<{ readonly lsn: number }> {
    return this.#enqueue(() => this.#appendNow(pieces, rows));
  }

  /**
   * Closes the open segment if it holds records. Afterwards every record acknowledged before the call is in
   * `unsealedSegments()`. Throws `wal_write_failed` while a failed tail cannot be cut.
   */
  rotate(): Promise<ClosedSegment | undefined> {
    return this.#enqueue(async () => {
      const repaired = await this.#cutFailedTail();
      return (await this.#closeOpen()) ?? repaired;
    });
  }

  /** Closed segments that hold records and have not been removed, oldest first. */
  unsealedSegments(): readonly ClosedSegment[] {
    return [...this.#closed.values()];
  }

  /**
   * Deletes a sealed segment and makes that durable, so that the segment cannot come back after a power cut.
   * Whatever replaces it must not be deleted before this resolves. May be called again after a failure; a segment that
   * is gone already is a success.
   */
  async remove(segmentId: string): Promise<void> {
    const segment = this.#closed.get(segmentId);
    if (segment === undefined) return;
    if (segment.sequence === this.#newestSequence) {
      await this.#enqueue(async () => {
        this.#open ??= await this.#create();
      });
    }
    const { fileSystem, directory } = this.#options;
    try {
      await ignoreMissing(fileSystem.unlink(segment.path));
      await fileSystem.syncDirectory(directory);
    } catch (error) {
      throw writeFailed(error, segment.path);
    }
    this.#closed.delete(segmentId);
  }

  get status(): WalStatus {
    const active = [this.#open, this.#failed].filter((segment) => segment !== undefined);
    const withRecords = active.filter((segment) => segment.rows > 0);
    let bytes = 0;
    for (const segment of this.#closed.values()) bytes += segment.sizeBytes;
    for (const segment of active) bytes += segment.syncedBytes;
    return {
      segments: this.#closed.size + withRecords.length,
      bytes,
      isFailing: this.#failed !== undefined,
    };
  }

  /** Waits for what is under way. The open segment stays as it is; the next start finds it closed. */
  async close(): Promise<void> {
    await this.#enqueue(async () => {
      this.#isClosed = true;
      for (const segment of [this.#failed, this.#open]) {
        if (segment !== undefined) await ignoreFailure(segment.file.close());
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #enqueue<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(() => {
      assert(!this.#isClosed, 'the log is closed');
      return task();
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #appendNow(pieces: readonly Uint8Array[], rows: number): Promise<{ readonly lsn: number }> {
    this.#announce(await this.#cutFailedTail());
    this.#open ??= await this.#create();
    const segment = this.#open;
    const lsn = this.#nextLsn;
    assert(segment.nextLsn === lsn, 'the open segment has lost count of its records');
    const record = encodeRecord({ pieces, rows, lsn }, segment.seed);
    try {
      await segment.file.write(record.pieces, segment.syncedBytes);
      await segment.file.syncData();
    } catch (error) {
      this.#open = undefined;
      this.#failed = segment;
      await this.#cutAfterFailure();
      throw writeFailed(error, segment.path);
    }
    segment.syncedBytes += record.totalBytes;
    segment.rows += rows;
    segment.nextLsn = lsn + 1;
    this.#nextLsn = lsn + 1;
    if (segment.syncedBytes >= this.#options.segmentMaxBytes) {
      this.#announce(await this.#closeOpen());
    }
    return { lsn };
  }

  async #create(): Promise<OpenSegment> {
    const { directory, fileSystem, schemaHash } = this.#options;
    const header: SegmentHeader = {
      sequence: this.#nextSequence,
      firstLsn: this.#nextLsn,
      schemaHash,
      salt: new Uint8Array(randomBytes(8)),
    };
    const path = join(directory, segmentFileName(segmentIdOf(header)));
    // Used up even if this fails: the file may be there all the same.
    this.#nextSequence += 1;
    const file = await this.#createFile(path, encodeSegmentHeader(header));
    this.#newestSequence = header.sequence;
    for (const emptyPath of this.#emptyPaths) await ignoreFailure(fileSystem.unlink(emptyPath));
    this.#emptyPaths = [];
    return {
      header,
      path,
      file,
      seed: saltSeed(header.salt),
      syncedBytes: segmentHeaderBytes,
      nextLsn: header.firstLsn,
      rows: 0,
    };
  }

  async #createFile(path: string, header: Uint8Array): Promise<OpenFile> {
    const { directory, fileSystem } = this.#options;
    let file: OpenFile | undefined;
    try {
      file = await fileSystem.open(path, 'create');
      await file.write([header], 0);
      await file.syncData();
      await fileSystem.syncDirectory(directory);
      return file;
    } catch (error) {
      if (file !== undefined) await ignoreFailure(file.close());
      await ignoreFailure(fileSystem.unlink(path));
      throw writeFailed(error, path);
    }
  }

  async #closeOpen(): Promise<ClosedSegment | undefined> {
    const segment = this.#open;
    if (segment === undefined || segment.nextLsn === segment.header.firstLsn) return undefined;
    this.#open = undefined;
    return this.#retire(segment);
  }

  /** Every byte of it is synced, so a failure to close the handle costs nothing but the handle. */
  async #retire(segment: OpenSegment): Promise<ClosedSegment | undefined> {
    await ignoreFailure(segment.file.close());
    return this.#keepClosed(
      describe(segment.header, {
        path: segment.path,
        nextLsn: segment.nextLsn,
        rows: segment.rows,
        sizeBytes: segment.syncedBytes,
      }),
    );
  }

  #announce(segment: ClosedSegment | undefined): void {
    if (segment !== undefined) this.#options.onSegmentClosed?.(segment);
  }

  #keepClosed(segment: ClosedSegment): ClosedSegment | undefined {
    this.#newestSequence = Math.max(this.#newestSequence, segment.sequence);
    if (segment.lastLsn < segment.firstLsn) {
      this.#emptyPaths.push(segment.path);
      return undefined;
    }
    this.#closed.set(segment.segmentId, segment);
    return segment;
  }

  async #cutFailedTail(): Promise<ClosedSegment | undefined> {
    const segment = this.#failed;
    if (segment === undefined) return undefined;
    try {
      await segment.file.truncate(segment.syncedBytes);
      await segment.file.syncData();
    } catch (error) {
      throw writeFailed(error, segment.path);
    }
    this.#failed = undefined;
    return this.#retire(segment);
  }

  async #cutAfterFailure(): Promise<void> {
    try {
      this.#announce(await this.#cutFailedTail());
    } catch (error) {
      this.#options.logger.error({ error }, 'cannot cut the unsynced tail of the log');
    }
  }
}

async function recoverOrRefuse(options: WalWriterOptions): Promise<RecoveredLog> {
  try {
    await options.fileSystem.mkdir(options.directory);
    return await recoverLog(options);
  } catch (error) {
    throw writeFailed(error, options.directory);
  }
}

/** Payloads do not describe themselves: read as another schema they would turn into other events. */
function assertSchema(segment: ClosedSegment, schemaHash: Uint8Array): void {
  const isEmpty = segment.lastLsn < segment.firstLsn;
  if (isEmpty || Buffer.compare(segment.schemaHash, schemaHash) === 0) return;
  throw new NodeError(
    'wal_corrupt',
    'a segment of the write-ahead log has another schema; start the version that wrote it to seal it',
    { details: { segment: basename(segment.path) }, internal: { path: segment.path } },
  );
}

function writeFailed(cause: unknown, path: string): NodeError {
  if (cause instanceof NodeError) return cause;
  const errno = errnoCode(cause);
  // Anything without a system code is a bug of ours and must not look like a full disk.
  if (errno === undefined) throw cause;
  const message = 'the write-ahead log cannot be written; check the space and health of its volume';
  return new NodeError('wal_write_failed', message, {
    details: { errno },
    internal: { path },
    retryAfterMs: 1000,
    cause,
  });
}

async function ignoreMissing(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (errnoCode(error) !== 'ENOENT') throw error;
  }
}

/** For clean-up whose failure leaves nothing that the next start does not heal. */
async function ignoreFailure(cleanUp: Promise<void>): Promise<void> {
  try {
    await cleanUp;
  } catch (error) {
    if (errnoCode(error) === undefined) throw error;
  }
}
