import { createHash } from 'node:crypto';
import { readFileSync, statSync, type BigIntStats } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ObjectInfo } from './port.ts';

/**
 * Documents that are replaced conditionally are small and get the hash of their content. Above this size
 * reading everything for a `head` would cost too much, and inode, modification time and size stand in:
 * every replacement is a new file, so they differ unless a file system re-uses an inode within one clock tick.
 */
const HASHED_MAX_BYTES = 65_536;

/** Etag of a file whose status and content belong together. */
export function etagOf(info: BigIntStats, body: Uint8Array): string {
  return body.byteLength > HASHED_MAX_BYTES ? etagOfStatus(info) : etagOfBytes(body);
}

export async function etagOfPath(path: string): Promise<ObjectInfo> {
  const handle = await open(path, 'r');
  try {
    const info = await handle.stat({ bigint: true });
    if (!info.isFile()) throw Object.assign(new Error('not a file'), { code: 'EISDIR' });
    const size = Number(info.size);
    if (size > HASHED_MAX_BYTES) return { etag: etagOfStatus(info), size };
    return { etag: etagOfBytes(await handle.readFile()), size };
  } finally {
    await handle.close();
  }
}

/** As `etagOfPath`, without giving up the thread: for use under the lock. */
export function etagOfContent(path: string): string {
  const info = statSync(path, { bigint: true });
  return Number(info.size) > HASHED_MAX_BYTES
    ? etagOfStatus(info)
    : etagOfBytes(readFileSync(path));
}

function etagOfStatus(info: BigIntStats): string {
  return `${info.ino.toString(36)}-${info.mtimeNs.toString(36)}-${info.size.toString(36)}`;
}

function etagOfBytes(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 32);
}
