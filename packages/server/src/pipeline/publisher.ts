import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { assert } from '../base/assert.ts';
import { temporarySuffix } from '../base/durable-file.ts';
import { errnoCode, type FileSystem } from '../base/file-system.ts';
import type { Logger } from '../base/logger.ts';
import type { DataFile, LakeTable, ObjectStore, SealedFile } from '../lake/index.ts';
import { readFooterStats } from '../parquet/index.ts';
import { PublishIntents, type PublishIntent } from './publish-intent.ts';

/** A sealed file from this size on goes up as it is; smaller ones are merged and sorted first. */
const mergeBelowBytes = 8 * 1024 * 1024;

/** Writes several Parquet files of one table as one, sorted by the table's sort columns. */
export type MergeFiles = (request: { sources: readonly string[]; target: string }) => Promise<void>;

export interface PublisherOptions {
  readonly store: ObjectStore;
  readonly table: LakeTable;
  readonly fileSystem: FileSystem;
  /** For the intent and merged files under way. */
  readonly directory: string;
  readonly merge: MergeFiles;
  readonly logger: Logger;
}

export interface Published {
  readonly segmentIds: readonly string[];
  readonly files: readonly DataFile[];
}

/**
 * Brings sealed files into the bucket: merge, upload, one Iceberg commit. When a step fails, the next call carries
 * the same publish on, so the outcome of a commit is always learnt before another one begins.
 */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #intents: PublishIntents;
  /** Begun, and not known to be committed. */
  #current: PublishIntent | undefined;
  /** Committed, with sealed files that a running query may still read. */
  readonly #committed = new Map<string, { intent: PublishIntent; remaining: Set<string> }>();

  private constructor(options: PublisherOptions) {
    this.#options = options;
    this.#intents = new PublishIntents(options.fileSystem, options.directory);
  }

  /** Takes up what a crash left; `committedSegmentIds` tells which sealed files are in the table already. */
  static async open(options: PublisherOptions): Promise<Publisher> {
    await options.fileSystem.mkdir(options.directory);
    const publisher = new Publisher(options);
    for (const intent of await publisher.#intents.list()) {
      if (intent.isCommitted || (await options.table.hasCommit(intent.commitId))) {
        publisher.#keepCommitted(intent);
      } else {
        assert(publisher.#current === undefined, 'at most one publish is unresolved');
        publisher.#current = intent;
      }
    }
    await publisher.#sweep();
    return publisher;
  }

  /** Segments that are committed and not released yet. */
  committedSegmentIds(): readonly string[] {
    return [...this.#committed.values()].flatMap(({ remaining }) => [...remaining]);
  }

  /**
   * Publishes these files, or first finishes a publish that failed before; returns the segments that this call
   * committed. Their sealed files must stay on disk until then, and be given to `release` once removed.
   */
  async publish(sealed: readonly SealedFile[]): Promise<Published> {
    if (this.#current === undefined) {
      if (sealed.length === 0) return { segmentIds: [], files: [] };
      const intent = planPublish(sealed, this.#options.table.dataPrefix);
      await this.#intents.write(intent);
      this.#current = intent;
    }
    const intent = this.#current;
    const byId = new Map(sealed.map((file) => [file.segmentId, file]));
    const files: DataFile[] = [];
    for (const planned of intent.files) {
      const sources = planned.segmentIds.map((segmentId) => {
        const file = byId.get(segmentId);
        assert(file !== undefined, `sealed file ${segmentId} of a publish under way is on disk`);
        return file;
      });
      files.push(await this.#upload(planned.key, sources));
    }
    await this.#options.table.append(files, { commitId: intent.commitId });
    await this.#intents.write({ ...intent, isCommitted: true });
    this.#current = undefined;
    this.#keepCommitted(intent);
    await this.#sweep();
    return { segmentIds: segmentIdsOf(intent), files };
  }

  /** The sealed files of these committed segments have been removed. */
  async release(segmentIds: readonly string[]): Promise<void> {
    for (const [commitId, { remaining }] of this.#committed) {
      for (const segmentId of segmentIds) remaining.delete(segmentId);
      if (remaining.size > 0) continue;
      await this.#intents.remove(commitId);
      this.#committed.delete(commitId);
    }
  }

  #keepCommitted(intent: PublishIntent): void {
    this.#committed.set(intent.commitId, { intent, remaining: new Set(segmentIdsOf(intent)) });
  }

  async #upload(key: string, sources: readonly SealedFile[]): Promise<DataFile> {
    const { fileSystem, store } = this.#options;
    const [first] = sources;
    assert(first !== undefined, 'a data file has sources');
    const path = sources.length === 1 ? first.path : await this.#mergedFile(key, sources);
    const stats = await readFooterStats(fileSystem, path);
    // Again after a crash too: only then is it certain that the object is durable.
    await store.putFile(key, path);
    return { key, stats };
  }

  /**
   * Kept until release, because the object that was uploaded and the stats that are committed must come from the
   * same merge: a merge repeated after a crash may order equal rows differently.
   */
  async #mergedFile(key: string, sources: readonly SealedFile[]): Promise<string> {
    const { fileSystem, directory, merge } = this.#options;
    const target = join(directory, baseName(key));
    const existing = await fileSystem.open(target, 'read').catch(undefinedIfMissing);
    if (existing !== undefined) {
      await existing.close();
      return target;
    }
    const temporary = target + temporarySuffix;
    await merge({ sources: sources.map((source) => source.path), target: temporary });
    const file = await fileSystem.open(temporary, 'update');
    await file.syncData();
    await file.close();
    await fileSystem.rename(temporary, target);
    await fileSystem.syncDirectory(directory);
    return target;
  }

  /** Removes merged files that no publish under way needs, and unfinished ones. */
  async #sweep(): Promise<void> {
    const { fileSystem, directory } = this.#options;
    const needed = new Set(this.#current?.files.map((file) => baseName(file.key)));
    for (const name of await fileSystem.readdir(directory)) {
      const isMerged = name.endsWith('.parquet') && !needed.has(name);
      if (isMerged || name.endsWith(temporarySuffix))
        await fileSystem.unlink(join(directory, name));
    }
  }
}

function baseName(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

function planPublish(sealed: readonly SealedFile[], dataPrefix: string): PublishIntent {
  const key = (): string => `${dataPrefix}${randomUUID()}.parquet`;
  const large = sealed.filter((file) => file.stats.sizeBytes >= mergeBelowBytes);
  const small = sealed.filter((file) => file.stats.sizeBytes < mergeBelowBytes);
  const files = large.map((file) => ({ key: key(), segmentIds: [file.segmentId] }));
  if (small.length > 0) files.push({ key: key(), segmentIds: small.map((file) => file.segmentId) });
  return { commitId: randomUUID(), isCommitted: false, files };
}

function segmentIdsOf(intent: PublishIntent): readonly string[] {
  return intent.files.flatMap((file) => file.segmentIds);
}

function undefinedIfMissing(error: unknown): undefined {
  if (errnoCode(error) !== 'ENOENT') throw error;
}
