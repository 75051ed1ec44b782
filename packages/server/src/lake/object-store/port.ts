/**
 * The bucket. Keys are `/`-separated, relative to the configured prefix, never starting with `/`.
 * Two implementations (local directory, S3) pass one contract suite, `registerObjectStoreTests`.
 *
 * Guarantees every implementation gives:
 * - a read never sees a partial object; a successful write is durable;
 * - `putIfAbsent` creates exclusively: of any number of concurrent calls for one key, one returns an etag;
 * - `putIfMatch` replaces only while the etag is still the current one;
 * - failures that may or may not have taken effect throw `NodeError('storage_unknown_outcome')`;
 *   the caller resolves them by reading back.
 */
export interface ObjectStore {
  /** Absolute URI of a key as it is written into table metadata: `file:///…` or `s3://…`. */
  uri(key: string): string;
  /** The whole object, or undefined when there is none. For documents and metadata, not for data files. */
  get(key: string): Promise<StoredObject | undefined>;
  /** Exactly `length` bytes from `offset`; throws `storage_object_missing` or `storage_short_read`. */
  getRange(key: string, offset: number, length: number): Promise<Uint8Array>;
  head(key: string): Promise<ObjectInfo | undefined>;
  put(key: string, body: Uint8Array): Promise<ObjectInfo>;
  /** Uploads a local file (multipart where large); the object is complete or absent. */
  putFile(key: string, path: string): Promise<ObjectInfo>;
  /** Returns undefined when the key exists already. */
  putIfAbsent(key: string, body: Uint8Array): Promise<ObjectInfo | undefined>;
  /** Returns undefined when the current etag is another one or the object is gone. */
  putIfMatch(key: string, body: Uint8Array, etag: string): Promise<ObjectInfo | undefined>;
  /** Deleting what is not there is a success. */
  delete(key: string): Promise<void>;
  /** All objects below a prefix (a folder, ending in `/`), in key order. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Local path of a key when the bucket is a local directory, so engines can open it in place. */
  localPath(key: string): string | undefined;
}

export interface ObjectInfo {
  readonly etag: string;
  readonly size: number;
}

export interface StoredObject extends ObjectInfo {
  readonly body: Uint8Array;
}

export interface ListedObject extends ObjectInfo {
  readonly key: string;
  /** When the object got its present content under this key, by the store's clock. */
  readonly lastModifiedMs: number;
}
