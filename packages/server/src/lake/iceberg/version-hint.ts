import { retrying, type TableIo } from './io.ts';
/**
 * `version-hint.text`: the version readers without a catalog start from, as ASCII digits and nothing else.
 *
 * It is a cache that may lag and is never moved back. Whoever commits a version advances it, best effort; the
 * committer of any later version repairs it. Nothing that a version at or above the hint needs may be deleted.
 */
import { hintKey } from './layout.ts';

const ATTEMPTS = 4;

export interface VersionHint {
  readonly version: number | undefined;
  readonly etag: string;
}

export async function readHint(io: TableIo): Promise<VersionHint | undefined> {
  const object = await retrying(io.clock, () => io.store.get(hintKey(io.layout)));
  if (object === undefined) return undefined;
  const text = new TextDecoder().decode(object.body).trim();
  return { version: /^\d{1,15}$/.test(text) ? Number(text) : undefined, etag: object.etag };
}

/** Never throws: the table is complete without the hint. */
export async function advanceHint(io: TableIo, version: number): Promise<void> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (await tryAdvance(io, version)) return;
    }
  } catch (error) {
    io.logger?.warn({ version, error }, 'version hint could not be advanced');
  }
}

async function tryAdvance(io: TableIo, version: number): Promise<boolean> {
  const key = hintKey(io.layout);
  const body = Buffer.from(String(version), 'ascii');
  const current = await readHint(io);
  if (current?.version !== undefined && current.version >= version) return true;
  const written =
    current === undefined
      ? await io.store.putIfAbsent(key, body)
      : await io.store.putIfMatch(key, body, current.etag);
  return written !== undefined;
}
