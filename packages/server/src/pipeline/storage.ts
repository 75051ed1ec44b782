import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { FileSystem } from '../base/file-system.ts';
import type { Logger } from '../base/logger.ts';
import type { TableSchema } from '../columns/index.ts';
import { LakeTable, type ObjectStore, type SealedFile } from '../lake/index.ts';
import type { ClosedSegment } from '../wal/index.ts';
import { PublishLoop } from './publish-loop.ts';
import { type MergeFiles, type Published, Publisher } from './publisher.ts';
import { Sealer } from './sealer.ts';
import type { TableDelta } from './table-state.ts';

export interface StorageOptions {
  readonly dataDir: string;
  readonly nodeId: string;
  readonly schema: TableSchema;
  readonly store: ObjectStore;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly merge: MergeFiles;
  readonly dedupSeed: Uint32Array;
  readonly dedupWindowEvents: number;
  readonly publishIntervalMs: number;
  readonly publishBytes: number;
  /** The table changed; `publishedSegmentIds` are part of it from now on. */
  readonly onTableChanged: (delta: TableDelta) => void;
  /** After every attempt to publish: why it failed, or undefined. */
  readonly onPublishAttempt: (lastError: string | undefined) => void;
}

/** Sealed files and the table at start: what a query sees before anything new arrives. */
export interface StorageStart {
  readonly sealed: readonly SealedFile[];
  readonly table: TableDelta;
}

/** A backlog goes up in commits of this many times the size that triggers one. */
const publishMaxShare = 4;
/** Readers that walk from an older metadata file find what it names for this long. */
const sweepGraceMs = 24 * 3600 * 1000;
const sweepIntervalMs = 6 * 3600 * 1000;

/**
 * The storage side of one table: seals segments, publishes sealed files, follows the table. Runs in the storage
 * worker; only the methods' plain data crosses to the main thread.
 */
export class Storage {
  readonly #options: StorageOptions;
  readonly #sealer: Sealer;
  readonly #table: LakeTable;
  readonly #publisher: Publisher;
  readonly #loop: PublishLoop;
  /** Sealed files whose segment is gone for good, so that publishing them cannot make a second copy. */
  readonly #publishable = new Map<string, SealedFile>();
  #cancelSweep: () => void = () => undefined;
  #isClosed = false;
  #knownKeys: ReadonlySet<string> = new Set();

  private constructor(
    options: StorageOptions,
    parts: { sealer: Sealer; table: LakeTable; publisher: Publisher },
  ) {
    this.#options = options;
    this.#sealer = parts.sealer;
    this.#table = parts.table;
    this.#publisher = parts.publisher;
    this.#loop = new PublishLoop({
      clock: options.clock,
      logger: options.logger,
      intervalMs: options.publishIntervalMs,
      thresholdBytes: options.publishBytes,
      publish: () => this.#publish(),
      onAttempt: (lastError) => options.onPublishAttempt(lastError),
    });
  }

  static async open(options: StorageOptions): Promise<Storage> {
    const { dataDir, fileSystem, schema, store, logger } = options;
    const table = await LakeTable.open({
      store,
      schema,
      nodeId: options.nodeId,
      clock: options.clock,
      logger,
    });
    const sealer = await Sealer.open({
      fileSystem,
      schema,
      logger,
      directory: join(dataDir, 'sealed'),
      dedup: {
        directory: join(dataDir, 'dedup'),
        seed: options.dedupSeed,
        windowEvents: options.dedupWindowEvents,
      },
    });
    const publisher = await Publisher.open({
      store,
      table,
      fileSystem,
      logger,
      merge: options.merge,
      directory: join(dataDir, 'publish'),
      maxBytes: publishMaxShare * options.publishBytes,
    });
    const storage = new Storage(options, { sealer, table, publisher });
    // What a crash left between a commit and the removal of its sealed files.
    await storage.removeSealed(publisher.committedSegmentIds());
    return storage;
  }

  /** Removes table metadata that no snapshot reaches, now and then, until `close`. */
  keepTidy(): void {
    const { clock, logger } = this.#options;
    this.#cancelSweep = clock.after(sweepIntervalMs, () => {
      this.#table
        .sweep(sweepGraceMs)
        .then(({ deletedObjects, deletedBytes }) => {
          if (deletedObjects > 0)
            logger.info({ deletedObjects, deletedBytes }, 'removed old table metadata');
        })
        .catch((err: unknown) => logger.warn({ err }, 'old table metadata could not be removed'))
        .finally(() => {
          if (!this.#isClosed) this.keepTidy();
        });
    });
  }

  start(): StorageStart {
    return { sealed: this.#sealer.files(), table: this.#delta(nothingPublished) };
  }

  get lastError(): string | undefined {
    return this.#loop.lastError;
  }

  seal(segment: ClosedSegment): Promise<SealedFile> {
    return this.#sealer.seal(segment);
  }

  /** The log no longer holds the segments of these sealed files: they may be published. */
  markPublishable(segmentIds: readonly string[]): void {
    const wanted = new Set(segmentIds);
    for (const file of this.#sealer.files()) {
      if (wanted.has(file.segmentId)) this.#publishable.set(file.segmentId, file);
    }
    this.#announceWaiting();
  }

  /** No query reads these published files any more. */
  async removeSealed(segmentIds: readonly string[]): Promise<void> {
    if (segmentIds.length === 0) return;
    await this.#sealer.remove(segmentIds);
    await this.#publisher.release(segmentIds);
  }

  /** Publishes what waits, until nothing does or an attempt fails. */
  flush(): Promise<void> {
    return this.#loop.flush();
  }

  /** Looks for commits of other nodes. */
  async refresh(): Promise<void> {
    await this.#table.refresh();
    const delta = this.#delta(nothingPublished);
    if (delta.added.length > 0 || delta.removedKeys.length > 0) this.#options.onTableChanged(delta);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSweep();
    this.#loop.stop();
    await this.#loop.settled();
  }

  async #publish(): Promise<void> {
    const { segmentIds, files } = await this.#publisher.publish([...this.#publishable.values()]);
    for (const segmentId of segmentIds) this.#publishable.delete(segmentId);
    this.#announceWaiting();
    this.#options.onTableChanged(this.#delta({ segmentIds, files }));
  }

  #announceWaiting(): void {
    let bytes = 0;
    for (const file of this.#publishable.values()) bytes += file.stats.sizeBytes;
    this.#loop.setWaiting(bytes);
  }

  /**
   * What changed in the file list since the last call. Files that this node just published come with the stats of
   * their row groups, which manifests do not hold. Files whose publish is not finished yet are left out: they come
   * with the step that takes their sealed files away.
   */
  #delta(published: Published): TableDelta {
    const snapshot = this.#table.current();
    const own = new Map(published.files.map((file) => [file.key, file]));
    const pending = this.#publisher.pendingKeys();
    const files = new Map(
      snapshot.files
        .filter((file) => !pending.has(file.key))
        .map((file) => [file.key, own.get(file.key) ?? file]),
    );
    const added = [...files.values()].filter((file) => !this.#knownKeys.has(file.key));
    const removedKeys = [...this.#knownKeys].filter((key) => !files.has(key));
    this.#knownKeys = new Set(files.keys());
    const isEmpty = snapshot.snapshotId === undefined;
    return {
      snapshotId: isEmpty ? undefined : String(snapshot.snapshotId),
      added,
      removedKeys,
      publishedSegmentIds: published.segmentIds,
      committedAtMs: isEmpty ? undefined : snapshot.timestampMs,
    };
  }
}

const nothingPublished: Published = { segmentIds: [], files: [] };
