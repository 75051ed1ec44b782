import { join } from 'node:path';
import { assert } from '../base/assert.ts';
import { removeFile, temporarySuffix } from '../base/durable-file.ts';
import { errnoCode, type FileSystem } from '../base/file-system.ts';
import type { Logger } from '../base/logger.ts';
import type { DataFile, LakeTable, ObjectStore, SealedFile } from '../lake/index.ts';
import { readFooterStats } from '../parquet/index.ts';
import { PublishIntents, type PublishIntent } from './publish-intent.ts';
import { planPublish, segmentIdsOf, splitPublish } from './publish-plan.ts';

/** Writes several Parquet files of one table as one, sorted by the table's sort columns. */
export type MergeFiles = (request: { sources: readonly string[]; target: string }) => Promise<void>;

/** A merge that fails this often is given up, and its sealed files go up as they are. */
const mergeAttempts = 3;

export interface PublisherOptions {
  readonly store: ObjectStore;
  readonly table: LakeTable;
  readonly fileSystem: FileSystem;
  /** For the intent and merged files under way. */
  readonly directory: string;
  readonly merge: MergeFiles;
  /** One publish takes the oldest sealed files up to this size, and at least one. */
  readonly maxBytes: number;
  readonly logger: Logger;
}

export interface Published {
  readonly segmentIds: readonly string[];
  readonly files: readonly DataFile[];
}

/** A publish that was begun and is not known to be committed. */
interface Underway {
  readonly intent: PublishIntent;
  isIntentDurable: boolean;
  mergeFailures: number;
  readonly uploaded: Map<string, DataFile>;
}

/**
 * Brings sealed files into the bucket: merge, upload, one Iceberg commit. When a step fails, the next call carries
 * the same publish on, so the outcome of a commit is always learnt before another one begins.
 */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #intents: PublishIntents;
  #underway: Underway | undefined;
  /** Committed, by commit id, with sealed files that a running query may still read. */
  readonly #committed = new Map<string, Set<string>>();

  private constructor(options: PublisherOptions) {
    this.#options = options;
    this.#intents = new PublishIntents(options.fileSystem, options.directory);
  }

  /** Takes up what a crash left; `committedSegmentIds` tells which sealed files are in the table already. */
  static async open(options: PublisherOptions): Promise<Publisher> {
    const { fileSystem, directory, table } = options;
    await fileSystem.mkdir(directory);
    // An intent that is seen but not durable could vanish after its commit, which would then be made again.
    await fileSystem.syncDirectory(directory);
    const publisher = new Publisher(options);
    for (const intent of await publisher.#intents.list()) {
      if (intent.isCommitted || (await table.hasCommit(intent.commitId))) {
        publisher.#keepCommitted(intent);
      } else {
        assert(publisher.#underway === undefined, 'at most one publish is unresolved');
        publisher.#underway = begin(intent);
        publisher.#underway.isIntentDurable = true;
      }
    }
    await publisher.#sweep();
    return publisher;
  }

  /** Segments that are committed and not released yet. */
  committedSegmentIds(): readonly string[] {
    return [...this.#committed.values()].flatMap((remaining) => [...remaining]);
  }

  /**
   * Objects of a publish under way. The table may hold them already, but until `publish` has returned their events
   * are still read from the sealed files.
   */
  pendingKeys(): ReadonlySet<string> {
    return new Set(this.#underway?.intent.files.map((file) => file.key));
  }

  /**
   * Publishes these files, oldest first, or first finishes a publish that failed before; returns the segments that
   * this call committed. Their sealed files must stay on disk until then, and be given to `release` once removed.
   */
  async publish(sealed: readonly SealedFile[]): Promise<Published> {
    const { table, maxBytes } = this.#options;
    if (this.#underway === undefined) {
      if (sealed.length === 0) return { segmentIds: [], files: [] };
      this.#underway = begin(planPublish(sealed, { maxBytes, dataPrefix: table.dataPrefix }));
    }
    const underway = this.#underway;
    if (!underway.isIntentDurable) {
      await this.#intents.write(underway.intent);
      underway.isIntentDurable = true;
    }
    const { intent } = underway;
    const files = await this.#uploadAll(underway, sealed);
    await table.append(files, { commitId: intent.commitId });
    await this.#intents.write({ ...intent, isCommitted: true });
    this.#underway = undefined;
    this.#keepCommitted(intent);
    await this.#sweep();
    return { segmentIds: segmentIdsOf(intent), files };
  }

  /** The sealed files of these committed segments have been removed. */
  async release(segmentIds: readonly string[]): Promise<void> {
    for (const [commitId, remaining] of this.#committed) {
      for (const segmentId of segmentIds) remaining.delete(segmentId);
      if (remaining.size > 0) continue;
      await this.#intents.remove(commitId);
      this.#committed.delete(commitId);
    }
  }

  #keepCommitted(intent: PublishIntent): void {
    this.#committed.set(intent.commitId, new Set(segmentIdsOf(intent)));
  }

  async #uploadAll(underway: Underway, sealed: readonly SealedFile[]): Promise<DataFile[]> {
    const byId = new Map(sealed.map((file) => [file.segmentId, file]));
    const files: DataFile[] = [];
    for (const planned of underway.intent.files) {
      const sources = planned.segmentIds.map((segmentId) => {
        const file = byId.get(segmentId);
        assert(file !== undefined, `sealed file ${segmentId} of a publish under way is on disk`);
        return file;
      });
      files.push(
        underway.uploaded.get(planned.key) ?? (await this.#upload(underway, planned.key, sources)),
      );
    }
    return files;
  }

  async #upload(
    underway: Underway,
    key: string,
    sources: readonly SealedFile[],
  ): Promise<DataFile> {
    const { fileSystem, store } = this.#options;
    const [first] = sources;
    assert(first !== undefined, 'a data file has sources');
    const path = sources.length === 1 ? first.path : await this.#mergedFile(underway, key, sources);
    const stats = await readFooterStats(fileSystem, path);
    // Again after a crash too: only then is it certain that the object is durable.
    await store.putFile(key, path);
    const file = { key, stats };
    underway.uploaded.set(key, file);
    return file;
  }

  /**
   * Kept until the commit is known to have succeeded, because the object that was uploaded and the stats that are
   * committed must come from the same merge: a repeated merge may order equal rows differently.
   */
  async #mergedFile(
    underway: Underway,
    key: string,
    sources: readonly SealedFile[],
  ): Promise<string> {
    const { fileSystem, directory } = this.#options;
    const target = join(directory, baseName(key));
    const existing = await fileSystem.open(target, 'read').catch(undefinedIfMissing);
    if (existing === undefined) await this.#merge(underway, key, sources);
    else await existing.close();
    await fileSystem.syncDirectory(directory);
    return target;
  }

  async #merge(underway: Underway, key: string, sources: readonly SealedFile[]): Promise<void> {
    const { fileSystem, directory, merge } = this.#options;
    const target = join(directory, baseName(key));
    const temporary = target + temporarySuffix;
    try {
      await merge({ sources: sources.map((source) => source.path), target: temporary });
      const file = await fileSystem.open(temporary, 'update');
      await file.syncData().finally(() => file.close());
    } catch (error) {
      // Its space may be what the next attempt lacks; what stays is overwritten or swept.
      await removeFile(fileSystem, temporary).catch(() => undefined);
      underway.mergeFailures += 1;
      if (underway.mergeFailures >= mergeAttempts) this.#splitIntent(underway, key);
      throw error;
    }
    await fileSystem.rename(temporary, target);
  }

  /**
   * Plans the same segments without this merge, under the same commit id. Allowed because nothing was committed: a
   * commit is tried only once every merged file is there, and then no merge can fail any more.
   */
  #splitIntent(underway: Underway, key: string): void {
    const { logger, table } = this.#options;
    const { intent } = underway;
    const { dataPrefix } = table;
    logger.warn(
      { commitId: intent.commitId },
      'merging keeps failing; publishing the sealed files one by one',
    );
    this.#underway = { ...underway, intent: splitPublish(intent, { key, dataPrefix }) };
    this.#underway.isIntentDurable = false;
  }

  /** Removes merged files that no publish under way needs, and unfinished ones. What fails is left to the next. */
  async #sweep(): Promise<void> {
    const { fileSystem, directory, logger } = this.#options;
    const needed = new Set([...this.pendingKeys()].map(baseName));
    try {
      for (const name of await fileSystem.readdir(directory)) {
        const isMerged = name.endsWith('.parquet') && !needed.has(name);
        if (isMerged || name.endsWith(temporarySuffix)) {
          await fileSystem.unlink(join(directory, name));
        }
      }
    } catch (error) {
      logger.warn({ err: error }, 'a merged file that was published could not be removed');
    }
  }
}

function begin(intent: PublishIntent): Underway {
  return { intent, isIntentDurable: false, mergeFailures: 0, uploaded: new Map() };
}

function baseName(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

function undefinedIfMissing(error: unknown): undefined {
  if (errnoCode(error) !== 'ENOENT') throw error;
}
