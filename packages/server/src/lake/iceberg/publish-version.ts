import { NodeError } from '../../base/errors.ts';
import { backOff, retrying, type TableIo } from './io.ts';
import type { JsonInteger } from './json.ts';
import { metadataKey } from './layout.ts';
import { isSnapshotPresent } from './load.ts';
import { parseMetadata } from './metadata.ts';

const ATTEMPTS = 8;

export interface VersionDraft {
  readonly version: number;
  readonly body: Uint8Array;
  /** How the draft is recognised in the file found under its name; undefined: by its bytes. */
  readonly snapshotId: JsonInteger | undefined;
}

/**
 * Creates `v<N>.metadata.json` exclusively: this is the commit. True when the version is ours, false when
 * another writer has it.
 *
 * The file name is the lock, so an answer that was lost is settled by reading the name: ours is there, another's
 * is there, or nothing is there, and then the same bytes may be offered again, since at most one offer can win.
 * A refusal is read back too: it may stem from an earlier offer of our own. Throws `storage_unknown_outcome`
 * only when the store stays out of reach after an offer that may have been accepted.
 */
export async function publishVersion(io: TableIo, draft: VersionDraft): Promise<boolean> {
  const key = metadataKey(io.layout, draft.version);
  let isUnknown = false;
  for (let attempt = 0; ; attempt += 1) {
    try {
      if ((await io.store.putIfAbsent(key, draft.body)) !== undefined) return true;
      return await isOurs(io, key, draft);
    } catch (error) {
      if (!(error instanceof NodeError) || !error.isRetryable) throw error;
      isUnknown ||= error.code === 'storage_unknown_outcome';
      if (attempt + 1 >= ATTEMPTS) throw isUnknown ? unknownOutcome(key, error) : error;
      io.logger?.warn({ key, attempt, error }, 'commit request failed, trying again');
      await backOff(io.clock, attempt);
    }
  }
}

async function isOurs(io: TableIo, key: string, draft: VersionDraft): Promise<boolean> {
  const found = await retrying(io.clock, () => io.store.get(key));
  if (found === undefined) return false;
  if (draft.snapshotId === undefined) return Buffer.compare(found.body, draft.body) === 0;
  return isSnapshotPresent(parseMetadata(found.body), draft.snapshotId);
}

function unknownOutcome(key: string, cause: unknown): NodeError {
  return new NodeError('storage_unknown_outcome', 'it is unknown whether a commit took effect', {
    internal: { key },
    cause,
  });
}
