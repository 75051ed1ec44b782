/** Test support: an object store without a disk, for tests that make thousands of requests. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { systemClock, type Clock } from '../../../base/clock.ts';
import { NodeError } from '../../../base/errors.ts';
import { assertSafeKey, assertSafePrefix, compareKeys } from '../key.ts';
import type { ListedObject, ObjectInfo, ObjectStore, StoredObject } from '../port.ts';

export class MemoryObjectStore implements ObjectStore {
  readonly #objects = new Map<string, StoredObject & { readonly lastModifiedMs: number }>();
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor(clock: Pick<Clock, 'nowMs'> = systemClock) {
    this.#clock = clock;
  }

  uri(key: string): string {
    assertSafeKey(key);
    return `memory://bucket/${key}`;
  }

  localPath(): undefined {
    return undefined;
  }

  async get(key: string): Promise<StoredObject | undefined> {
    assertSafeKey(key);
    const object = this.#objects.get(key);
    return object === undefined ? undefined : { ...object, body: object.body.slice() };
  }

  async getRange(key: string, offset: number, length: number): Promise<Uint8Array> {
    const body = (await this.get(key))?.body;
    if (body === undefined) throw new NodeError('storage_object_missing', 'object does not exist');
    const range = body.subarray(offset, offset + length);
    if (range.byteLength === length) return range;
    throw new NodeError('storage_short_read', 'object ends before the range asked for');
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    assertSafeKey(key);
    const object = this.#objects.get(key);
    return object === undefined ? undefined : { etag: object.etag, size: object.size };
  }

  async put(key: string, body: Uint8Array): Promise<ObjectInfo> {
    assertSafeKey(key);
    const etag = createHash('sha256').update(body).digest('hex');
    const info = { etag, size: body.byteLength };
    const copy = new Uint8Array(body);
    this.#objects.set(key, { ...info, body: copy, lastModifiedMs: this.#clock.nowMs() });
    return info;
  }

  async putFile(key: string, path: string): Promise<ObjectInfo> {
    return this.put(key, await readFile(path));
  }

  async putIfAbsent(key: string, body: Uint8Array): Promise<ObjectInfo | undefined> {
    return this.#objects.has(key) ? undefined : this.put(key, body);
  }

  async putIfMatch(key: string, body: Uint8Array, etag: string): Promise<ObjectInfo | undefined> {
    return this.#objects.get(key)?.etag === etag ? this.put(key, body) : undefined;
  }

  async delete(key: string): Promise<void> {
    assertSafeKey(key);
    this.#objects.delete(key);
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    assertSafePrefix(prefix);
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix));
    for (const key of keys.sort(compareKeys)) {
      const object = this.#objects.get(key);
      if (object === undefined) continue;
      const { etag, size, lastModifiedMs } = object;
      yield { key, etag, size, lastModifiedMs };
    }
  }
}
