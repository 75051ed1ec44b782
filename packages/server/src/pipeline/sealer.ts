import { join } from 'node:path';
import { assert } from '../base/assert.ts';
import { removeFile, temporarySuffix, writeFileDurably } from '../base/durable-file.ts';
import { NodeError } from '../base/errors.ts';
import { errnoCode, type FileSystem } from '../base/file-system.ts';
import type { Logger } from '../base/logger.ts';
import { encodeSchemaMessage, type TableSchema } from '../columns/index.ts';
import type { SealedFile } from '../lake/index.ts';
import { encodeParquetStream, footerStats, readFooterStats } from '../parquet/index.ts';
import type { ClosedSegment, WalRecord } from '../wal/index.ts';
import { fingerprintsOfRecords, saveFingerprints, tidyFingerprints } from './dedup/index.ts';
import { type SegmentContents, SegmentBuffer } from './segment-buffer.ts';

// Holds: sealed/<segment id>.parquet, one per WAL segment, until its events are committed to the bucket.
// Written by: the storage worker alone.
// Ordering: the file is complete and durable under its name before the segment may be removed, and it is removed
//   only after the commit that contains it is known to have succeeded.
// A crash leaves: a `.tmp` file (removed at open), or a sealed file beside its segment (the segment is removed,
//   sealing again is a no-op).
// Size bound: the limit of received-but-unpublished bytes.

const suffix = '.parquet';
const tidyEverySegments = 64;

export interface SealerOptions {
  /** Where fingerprints of stable ids are kept for the dedup window of the next start. */
  readonly dedup: {
    readonly directory: string;
    readonly seed: Uint32Array;
    readonly windowEvents: number;
  };
  readonly fileSystem: FileSystem;
  readonly directory: string;
  readonly schema: TableSchema;
  readonly logger: Logger;
}

/** Turns closed WAL segments into Parquet files on local disk. CPU bound: worker threads only. */
export class Sealer {
  readonly #options: SealerOptions;
  readonly #sealed = new Map<string, SealedFile>();
  readonly #schemaMessage: Uint8Array;
  readonly #buffer: SegmentBuffer;
  #sinceTidy = 0;
  #isSealing = false;

  private constructor(options: SealerOptions) {
    this.#options = options;
    this.#schemaMessage = encodeSchemaMessage(options.schema);
    this.#buffer = new SegmentBuffer(this.#schemaMessage);
  }

  static async open(options: SealerOptions): Promise<Sealer> {
    const sealer = new Sealer(options);
    const { fileSystem, directory } = options;
    await fileSystem.mkdir(directory);
    // A file that is seen but not durable under its name could vanish after its segment was removed.
    await fileSystem.syncDirectory(directory);
    for (const name of (await fileSystem.readdir(directory)).toSorted()) {
      if (name.endsWith(temporarySuffix)) await fileSystem.unlink(join(directory, name));
      else if (name.endsWith(suffix)) await sealer.#adopt(name.slice(0, -suffix.length));
    }
    return sealer;
  }

  /** Sealed files on disk, oldest first. */
  files(): readonly SealedFile[] {
    return [...this.#sealed.values()];
  }

  /**
   * Idempotent by segment id, also once the segment itself is gone. File and fingerprints are durable when this
   * returns. One call at a time: they share a buffer. Throws `storage_volume_failed` where they cannot be written,
   * `wal_corrupt` where the segment is damaged.
   */
  async seal(segment: ClosedSegment): Promise<SealedFile> {
    const existing = this.#sealed.get(segment.segmentId);
    if (existing !== undefined) return existing;
    assert(!this.#isSealing, 'one segment is sealed at a time');
    this.#isSealing = true;
    try {
      return await this.#seal(segment);
    } catch (error) {
      throw volumeFailed(error, segment.segmentId);
    } finally {
      this.#isSealing = false;
    }
  }

  /** Removes files whose events are committed. */
  async remove(segmentIds: readonly string[]): Promise<void> {
    for (const segmentId of segmentIds) {
      this.#sealed.delete(segmentId);
      await removeFile(this.#options.fileSystem, this.#path(segmentId));
    }
    await this.#options.fileSystem.syncDirectory(this.#options.directory);
  }

  async #seal({ segmentId, path }: ClosedSegment): Promise<SealedFile> {
    const contents = await this.#buffer.read(this.#options.fileSystem, path);
    // First, so that a sealed file proves that its fingerprints are durable too.
    const hasFingerprints = await this.#keepFingerprints(segmentId, contents.records);
    const file = await this.#write(segmentId, contents);
    this.#sealed.set(segmentId, file);
    if (hasFingerprints) await this.#tidyNowAndThen();
    return file;
  }

  async #write(segmentId: string, contents: SegmentContents): Promise<SealedFile> {
    const { fileSystem, schema, logger } = this.#options;
    const bytes = encodeParquetStream(schema, contents.takeStream());
    const path = this.#path(segmentId);
    await writeFileDurably(fileSystem, path, bytes);
    const stats = footerStats(bytes, bytes.length);
    logger.debug({ segmentId, rows: stats.rows, bytes: bytes.length }, 'sealed');
    return { path, segmentId, stats };
  }

  async #keepFingerprints(segmentId: string, records: readonly WalRecord[]): Promise<boolean> {
    const { fileSystem, dedup } = this.#options;
    const { seed, directory } = dedup;
    const schemaMessage = this.#schemaMessage;
    const fingerprints = fingerprintsOfRecords(records, { schemaMessage, seed });
    await saveFingerprints({ fileSystem, directory }, segmentId, { seed, fingerprints });
    return fingerprints.length > 0;
  }

  /** Only once the segment is sealed: saving its fingerprints again would overwrite what was merged into them. */
  async #tidyNowAndThen(): Promise<void> {
    const { fileSystem, dedup, logger } = this.#options;
    const { directory, windowEvents } = dedup;
    this.#sinceTidy += 1;
    if (this.#sinceTidy < tidyEverySegments) return;
    this.#sinceTidy = 0;
    try {
      await tidyFingerprints({ fileSystem, directory }, windowEvents);
    } catch (error) {
      logger.warn({ err: error }, 'old fingerprints could not be removed');
    }
  }

  #path(segmentId: string): string {
    return join(this.#options.directory, segmentId + suffix);
  }

  async #adopt(segmentId: string): Promise<void> {
    const path = this.#path(segmentId);
    try {
      const stats = await readFooterStats(this.#options.fileSystem, path);
      this.#sealed.set(segmentId, { path, segmentId, stats });
    } catch (cause) {
      if (errnoCode(cause) !== undefined) throw volumeFailed(cause, segmentId);
      const message = 'a sealed file is damaged; restore it or move it aside to give up its events';
      throw new NodeError('storage_corrupt_table', message, {
        details: { file: segmentId + suffix },
        internal: { path },
        cause,
      });
    }
  }
}

/** Failures of the disk become ones that callers can tell from bugs. */
function volumeFailed(error: unknown, segmentId: string): unknown {
  const errno = errnoCode(error);
  if (errno === undefined) return error;
  const message = 'a sealed file cannot be written; check the space and health of the data volume';
  return new NodeError('storage_volume_failed', message, {
    details: { errno },
    internal: { segmentId },
    retryAfterMs: 1000,
    cause: error,
  });
}
