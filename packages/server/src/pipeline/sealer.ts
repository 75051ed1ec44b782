import { join } from 'node:path';
import { removeFile, temporarySuffix, writeFileDurably } from '../base/durable-file.ts';
import type { FileSystem } from '../base/file-system.ts';
import type { Logger } from '../base/logger.ts';
import { encodeSchemaMessage, type TableSchema } from '../columns/index.ts';
import type { SealedFile } from '../lake/index.ts';
import { encodeParquet, footerStats, readFooterStats } from '../parquet/index.ts';
import { readWholeSegment, type ClosedSegment } from '../wal/index.ts';
import { fingerprintsOf, saveFingerprints, tidyFingerprints } from './dedup/index.ts';

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
  #sinceTidy = 0;

  private constructor(options: SealerOptions) {
    this.#options = options;
  }

  static async open(options: SealerOptions): Promise<Sealer> {
    const sealer = new Sealer(options);
    const { fileSystem, directory } = options;
    await fileSystem.mkdir(directory);
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

  /** Idempotent by segment id. The file is durable when this returns. */
  async seal(segment: ClosedSegment): Promise<SealedFile> {
    await this.#keepFingerprints(segment);
    const existing = this.#sealed.get(segment.segmentId);
    if (existing !== undefined) return existing;
    const { fileSystem, schema, logger } = this.#options;
    const records = await readWholeSegment({ fileSystem, path: segment.path });
    const bytes = encodeParquet(
      schema,
      records.map((record) => record.payload),
    );
    const path = this.#path(segment.segmentId);
    await writeFileDurably(fileSystem, path, bytes);
    const file = { path, segmentId: segment.segmentId, stats: footerStats(bytes, bytes.length) };
    this.#sealed.set(segment.segmentId, file);
    logger.debug(
      { segmentId: segment.segmentId, rows: file.stats.rows, bytes: bytes.length },
      'sealed',
    );
    return file;
  }

  /** Removes files whose events are committed. */
  async remove(segmentIds: readonly string[]): Promise<void> {
    for (const segmentId of segmentIds) {
      this.#sealed.delete(segmentId);
      await removeFile(this.#options.fileSystem, this.#path(segmentId));
    }
    await this.#options.fileSystem.syncDirectory(this.#options.directory);
  }

  /** Before the caller lets the segment go, and the ids with it. */
  async #keepFingerprints(segment: ClosedSegment): Promise<void> {
    const { fileSystem, schema, dedup } = this.#options;
    const { seed, windowEvents } = dedup;
    const store = { fileSystem, directory: dedup.directory };
    const fingerprints = await fingerprintsOf({
      fileSystem,
      path: segment.path,
      schemaMessage: encodeSchemaMessage(schema),
      seed,
    });
    await saveFingerprints(store, segment.segmentId, { seed, fingerprints });
    this.#sinceTidy += fingerprints.length > 0 ? 1 : 0;
    if (this.#sinceTidy < tidyEverySegments) return;
    this.#sinceTidy = 0;
    await tidyFingerprints(store, windowEvents);
  }

  #path(segmentId: string): string {
    return join(this.#options.directory, segmentId + suffix);
  }

  async #adopt(segmentId: string): Promise<void> {
    const path = this.#path(segmentId);
    const stats = await readFooterStats(this.#options.fileSystem, path);
    this.#sealed.set(segmentId, { path, segmentId, stats });
  }
}
