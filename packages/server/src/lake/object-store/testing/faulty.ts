/** Test support: an object store that fails at chosen calls. */
import { NodeError } from '../../../base/errors.ts';
import type { ListedObject, ObjectInfo, ObjectStore, StoredObject } from '../port.ts';

export type Fault =
  /** The call fails and had no effect. */
  | 'before'
  /** The call takes effect and fails as if the answer was lost. */
  | 'after'
  /** The call has no effect and fails as if the answer was lost. */
  | 'unsent';

export interface FaultPlan {
  /** Called with the number of every call, from 1; undefined lets it pass. */
  faultAt(call: number, method: string, key: string): Fault | undefined;
}

/** Counts calls across all methods and fails those the plan names. */
export class FaultyObjectStore implements ObjectStore {
  readonly #inner: ObjectStore;
  readonly #plan: FaultPlan;
  #calls = 0;

  constructor(inner: ObjectStore, plan: FaultPlan) {
    this.#inner = inner;
    this.#plan = plan;
  }

  get calls(): number {
    return this.#calls;
  }

  uri(key: string): string {
    return this.#inner.uri(key);
  }

  localPath(key: string): string | undefined {
    return this.#inner.localPath(key);
  }

  async get(key: string): Promise<StoredObject | undefined> {
    return this.#call('get', key, async () => this.#inner.get(key));
  }

  async getRange(key: string, offset: number, length: number): Promise<Uint8Array> {
    return this.#call('getRange', key, async () => this.#inner.getRange(key, offset, length));
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    return this.#call('head', key, async () => this.#inner.head(key));
  }

  async put(key: string, body: Uint8Array): Promise<ObjectInfo> {
    return this.#call('put', key, async () => this.#inner.put(key, body));
  }

  async putFile(key: string, path: string): Promise<ObjectInfo> {
    return this.#call('putFile', key, async () => this.#inner.putFile(key, path));
  }

  async putIfAbsent(key: string, body: Uint8Array): Promise<ObjectInfo | undefined> {
    return this.#call('putIfAbsent', key, async () => this.#inner.putIfAbsent(key, body));
  }

  async putIfMatch(key: string, body: Uint8Array, etag: string): Promise<ObjectInfo | undefined> {
    return this.#call('putIfMatch', key, async () => this.#inner.putIfMatch(key, body, etag));
  }

  async delete(key: string): Promise<void> {
    return this.#call('delete', key, async () => this.#inner.delete(key));
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    await this.#call('list', prefix, async () => undefined);
    yield* this.#inner.list(prefix);
  }

  async #call<T>(method: string, key: string, action: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    const fault = this.#plan.faultAt(this.#calls, method, key);
    if (fault === undefined) return action();
    if (fault === 'after') await action();
    const isWrite = method.startsWith('put') || method === 'delete';
    const isCertain = fault === 'before' || !isWrite;
    throw new NodeError(
      isCertain ? 'storage_unavailable' : 'storage_unknown_outcome',
      'injected storage fault',
      { internal: { method, key, call: this.#calls } },
    );
  }
}
