import { decodeElements, readBlockHead } from './block.ts';
import { decodeFrames, isFramed } from './frames.ts';

/**
 * Decodes snappy data in either format: one block, or the framing format, told by its first bytes, because senders
 * use one name for both. Undefined when it has more than `maxBytes`, told before anything of that size is allocated.
 * @throws NodeError `ingest_malformed_body`
 */
export function decodeSnappy(bytes: Uint8Array, maxBytes: number): Uint8Array | undefined {
  if (isFramed(bytes)) return decodeFrames(bytes, maxBytes);
  const { decodedBytes, start } = readBlockHead(bytes, 0, bytes.length);
  if (decodedBytes > maxBytes) return undefined;
  const out = new Uint8Array(decodedBytes);
  decodeElements(bytes, start, bytes.length, { out, outStart: 0, outEnd: decodedBytes });
  return out;
}
