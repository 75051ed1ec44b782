import { NodeError } from '../../base/errors.ts';

const MAX_KEY_BYTES = 1024;
const MAX_SEGMENT_BYTES = 255;
// Control characters and the backslash are legal in S3 but break file systems, URIs and SQL literals alike.
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/u;

/**
 * Why a key is refused, or undefined when it is safe on every store. A segment never starts with a dot:
 * that rules out `.` and `..`, and leaves dot names to the stores' own bookkeeping.
 */
export function keyFault(key: string): string | undefined {
  if (key.length === 0) return 'is empty';
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return 'is longer than 1024 bytes';
  if (FORBIDDEN.test(key)) return 'holds a control character or a backslash';
  if (!key.isWellFormed()) return 'is not well-formed Unicode';
  for (const segment of key.split('/')) {
    if (segment.length === 0) return 'has an empty segment';
    if (segment.startsWith('.')) return 'has a segment that starts with a dot';
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return 'has a segment over 255 bytes';
  }
  return undefined;
}

export function assertSafeKey(key: string): void {
  const fault = keyFault(key);
  if (fault !== undefined) {
    throw new NodeError('storage_invalid_key', `object key ${fault}`, { internal: { key } });
  }
}

/** A listing prefix: empty for the whole store, otherwise a safe key followed by `/`. */
export function assertSafePrefix(prefix: string): void {
  if (prefix === '') return;
  if (!prefix.endsWith('/')) {
    throw new NodeError('storage_invalid_key', 'listing prefix must end in a slash', {
      internal: { prefix },
    });
  }
  assertSafeKey(prefix.slice(0, -1));
}

/** The order of `ObjectStore.list`: by UTF-8 bytes, as S3 lists. */
export function compareKeys(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
