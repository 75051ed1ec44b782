/**
 * The bucket as a directory.
 *
 * What it holds: one file per object at `<root>/<key>`, and bookkeeping in `<root>/.varve/` that no key can
 * name: `staging/` for objects being written, `lock/` for the lock (see `directory-lock.ts`).
 * Who writes it: any number of processes and threads at once; files are also read in place by engines.
 * Ordering: an object is written and fsynced in `staging/` first, then gets its name in one step (`link` for an
 * exclusive create, `rename` for a replacement), then the directory is fsynced. Replacements, conditional or
 * not, and deletions run under the lock, so a compare-and-replace is atomic against all of them.
 * Exclusive creates need no lock: `link` fails when the name exists.
 * Crash: before the naming step only a staging file is left; after it the object is whole.
 * Healing: `open` removes staging files whose writer is gone. Should it ever judge wrongly, the writer's naming
 * step fails with a retryable error and nothing is lost.
 * Size bound: staging holds at most one file per write in progress, plus those of crashed writers until `open`.
 */
import { renameSync, unlinkSync } from 'node:fs';
import { link, open, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import { DirectoryLock } from './directory-lock.ts';
import { isErrorCode, makeDirectoryDurable, syncDirectory } from './file-system.ts';
import { assertSafeKey, assertSafePrefix, compareKeys, keyFault } from './key.ts';
import { etagOf, etagOfContent, etagOfPath } from './local-etag.ts';
import type { ListedObject, ObjectInfo, ObjectStore, StoredObject } from './port.ts';
import { StagingArea } from './staging-area.ts';

export class LocalObjectStore implements ObjectStore {
  readonly #root: string;
  readonly #staging: StagingArea;
  readonly #lock: DirectoryLock;

  private constructor(root: string, staging: StagingArea, lock: DirectoryLock) {
    this.#root = root;
    this.#staging = staging;
    this.#lock = lock;
  }

  /** Creates the directory if needed and removes what crashed writers left half written. */
  static async open(root: string): Promise<LocalObjectStore> {
    const absoluteRoot = resolve(root);
    const staging = await StagingArea.open(join(absoluteRoot, '.varve', 'staging'));
    const lock = await DirectoryLock.open(join(absoluteRoot, '.varve', 'lock'), systemClock);
    return new LocalObjectStore(absoluteRoot, staging, lock);
  }

  /** Not percent-encoded: table readers take the text after `file://` as the path, byte for byte. */
  uri(key: string): string {
    return `file://${this.#path(key)}`;
  }

  localPath(key: string): string {
    return this.#path(key);
  }

  async get(key: string): Promise<StoredObject | undefined> {
    const path = this.#path(key);
    try {
      const handle = await open(path, 'r');
      try {
        const info = await handle.stat({ bigint: true });
        const body = await handle.readFile();
        return { body, size: body.byteLength, etag: etagOf(info, body) };
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw unavailable('read', key, error);
    }
  }

  async getRange(key: string, offset: number, length: number): Promise<Uint8Array> {
    const path = this.#path(key);
    try {
      const handle = await open(path, 'r');
      try {
        const buffer = Buffer.allocUnsafe(length);
        let filled = 0;
        while (filled < length) {
          const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
          if (bytesRead === 0) {
            throw new NodeError('storage_short_read', 'object ends before the range asked for', {
              internal: { key, offset, length, available: filled },
            });
          }
          filled += bytesRead;
        }
        return buffer;
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (error instanceof NodeError) throw error;
      if (isAbsent(error)) {
        throw new NodeError('storage_object_missing', 'object does not exist', {
          internal: { key },
          cause: error,
        });
      }
      throw unavailable('read', key, error);
    }
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    try {
      return await this.#info(this.#path(key));
    } catch (error) {
      throw unavailable('read', key, error);
    }
  }

  async put(key: string, body: Uint8Array): Promise<ObjectInfo> {
    const path = this.#path(key);
    const staged = await this.#stage(key, async () => this.#staging.write(body));
    return this.#replace(key, path, staged);
  }

  async putFile(key: string, source: string): Promise<ObjectInfo> {
    const path = this.#path(key);
    const staged = await this.#stage(key, async () => this.#staging.adopt(source));
    return this.#replace(key, path, staged);
  }

  async putIfAbsent(key: string, body: Uint8Array): Promise<ObjectInfo | undefined> {
    const path = this.#path(key);
    const staged = await this.#stage(key, async () => this.#staging.write(body));
    try {
      const info = await etagOfPath(staged);
      const isCreated = await this.#linkInto(key, staged, path);
      if (!isCreated) return undefined;
      await this.#syncParent(key, path);
      return info;
    } catch (error) {
      throw unavailable('write', key, error);
    } finally {
      await this.#staging.discard(staged);
    }
  }

  async putIfMatch(key: string, body: Uint8Array, etag: string): Promise<ObjectInfo | undefined> {
    const path = this.#path(key);
    const current = await this.head(key);
    if (current?.etag !== etag) return undefined;
    const staged = await this.#stage(key, async () => this.#staging.write(body));
    return this.#replace(key, path, staged, etag);
  }

  async delete(key: string): Promise<void> {
    const path = this.#path(key);
    try {
      await this.#lock.run((lock) => {
        lock.assertHeld();
        unlinkSync(path);
      });
    } catch (error) {
      if (isAbsent(error)) return;
      throw unavailable('delete', key, error);
    }
    await this.#syncParent(key, path);
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    assertSafePrefix(prefix);
    yield* this.#walk(prefix);
  }

  async *#walk(prefix: string): AsyncGenerator<ListedObject> {
    for (const name of await this.#names(prefix)) {
      const key = `${prefix}${name}`;
      if (name.endsWith('/')) {
        yield* this.#walk(key);
        continue;
      }
      const path = join(this.#root, key);
      try {
        const info = await this.#info(path);
        if (info !== undefined) {
          // The change time: a linked file keeps the modification time it had before it became an object.
          yield { key, ...info, lastModifiedMs: (await stat(path)).ctimeMs };
        }
      } catch (error) {
        if (!isAbsent(error)) throw unavailable('list', key, error);
      }
    }
  }

  /** Folders carry their slash while sorting, which makes a depth-first walk come out in key order. */
  async #names(prefix: string): Promise<string[]> {
    try {
      const entries = await readdir(join(this.#root, prefix), { withFileTypes: true });
      return entries
        .filter((entry) => keyFault(entry.name) === undefined)
        .filter((entry) => entry.isFile() || entry.isDirectory())
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
        .sort(compareKeys);
    } catch (error) {
      if (isAbsent(error)) return [];
      throw unavailable('list', prefix, error);
    }
  }

  async #info(path: string): Promise<ObjectInfo | undefined> {
    try {
      return await etagOfPath(path);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async #stage(key: string, stage: () => Promise<string>): Promise<string> {
    try {
      return await stage();
    } catch (error) {
      throw unavailable('write', key, error);
    }
  }

  async #linkInto(key: string, staged: string, path: string): Promise<boolean> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await link(staged, path);
        return true;
      } catch (error) {
        if (isErrorCode(error, 'ENOENT') && attempt === 0) {
          await makeParent(key, path);
          continue;
        }
        // A network file system may apply the link and lose the answer: the inode tells whose file it is.
        if (await isSameFile(staged, path)) return true;
        if (isErrorCode(error, 'EEXIST')) return false;
        throw unavailable('write', key, error);
      }
    }
  }

  async #replace(key: string, path: string, staged: string): Promise<ObjectInfo>;
  async #replace(
    key: string,
    path: string,
    staged: string,
    expectedEtag: string,
  ): Promise<ObjectInfo | undefined>;
  async #replace(
    key: string,
    path: string,
    staged: string,
    expectedEtag?: string,
  ): Promise<ObjectInfo | undefined> {
    let isRenamed = false;
    try {
      if (expectedEtag === undefined) await makeParent(key, path);
      const info = await etagOfPath(staged);
      isRenamed = await this.#lock.run((lock) => {
        if (expectedEtag !== undefined && currentEtag(path) !== expectedEtag) return false;
        lock.assertHeld();
        renameSync(staged, path);
        return true;
      });
      if (!isRenamed) return undefined;
      await this.#syncParent(key, path);
      return info;
    } catch (error) {
      throw unavailable('write', key, error);
    } finally {
      // Also after a rename: renaming one link of a file over another link of it removes neither.
      await this.#staging.discard(staged);
    }
  }

  async #syncParent(key: string, path: string): Promise<void> {
    try {
      await syncDirectory(dirname(path));
    } catch (error) {
      throw new NodeError('storage_unknown_outcome', 'the directory could not be synced', {
        internal: { key },
        cause: error,
      });
    }
  }

  #path(key: string): string {
    assertSafeKey(key);
    return join(this.#root, key);
  }
}

function currentEtag(path: string): string | undefined {
  try {
    return etagOfContent(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function makeParent(key: string, path: string): Promise<void> {
  try {
    await makeDirectoryDurable(dirname(path));
  } catch (error) {
    throw unavailable('write', key, error);
  }
}

async function isSameFile(left: string, right: string): Promise<boolean> {
  try {
    const [a, b] = await Promise.all([stat(left), stat(right)]);
    return a.ino === b.ino && a.dev === b.dev;
  } catch {
    return false;
  }
}

function isAbsent(error: unknown): boolean {
  return isErrorCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR');
}

function unavailable(action: string, key: string, cause: unknown): NodeError {
  if (cause instanceof NodeError) return cause;
  return new NodeError(
    'storage_unavailable',
    `the bucket directory could not ${action} an object`,
    {
      internal: { key },
      cause,
    },
  );
}
