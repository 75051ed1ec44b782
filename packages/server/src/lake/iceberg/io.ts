import type { Clock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import type { ObjectStore } from '../object-store/port.ts';
import type { TableLayout } from './layout.ts';
import type { ManifestCache } from './manifest-cache.ts';

export interface TableLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** What every step of reading and committing a table works with. */
export interface TableIo {
  readonly store: ObjectStore;
  readonly layout: TableLayout;
  readonly clock: Clock;
  readonly cache: ManifestCache;
  readonly logger: TableLogger | undefined;
}

const ATTEMPTS = 5;
const BACKOFF_MIN_MS = 50;
const BACKOFF_MAX_MS = 2_000;

/** Sleeps a random time that doubles with the attempt, so that rivals do not meet again. */
export async function backOff(clock: Clock, attempt: number): Promise<void> {
  const ceilingMs = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** attempt);
  await clock.sleep(ceilingMs * (0.25 + 0.75 * Math.random()));
}

/** Repeats a request that may safely be repeated while its failure is one that may pass. */
export async function retrying<T>(clock: Clock, request: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      const mayPass = error instanceof NodeError && error.isRetryable;
      if (!mayPass || attempt + 1 >= ATTEMPTS) throw error;
      await backOff(clock, attempt);
    }
  }
}

/**
 * Creates an object under a name nobody else uses. If the outcome of one attempt is unknown, a later one that
 * finds the name taken has found our own object.
 */
export async function putUnique(io: TableIo, key: string, body: Uint8Array): Promise<void> {
  await retrying(io.clock, () => io.store.putIfAbsent(key, body));
}

export async function getRequired(io: TableIo, key: string): Promise<Uint8Array> {
  const object = await retrying(io.clock, () => io.store.get(key));
  if (object === undefined) {
    throw new NodeError('storage_object_missing', 'an object of the table does not exist', {
      internal: { key },
    });
  }
  return object.body;
}

/** Removes objects that nothing refers to; what fails is left to the orphan sweep. */
export async function discard(io: TableIo, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    try {
      await io.store.delete(key);
    } catch (error) {
      io.logger?.warn({ key, error }, 'unused table object could not be deleted');
    }
  }
}
