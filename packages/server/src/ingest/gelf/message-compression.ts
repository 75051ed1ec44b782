import { gunzipSync, inflateSync } from 'node:zlib';
import { NodeError } from '../../base/errors.ts';
import { malformedBody } from '../../codec/index.ts';

const minChunkBytes = 1024;
const maxChunkBytes = 64 * 1024;

/**
 * The message without its compression, which its first bytes tell: gzip (RFC 1952), zlib (RFC 1950), or none.
 * @throws NodeError `request_body_too_large` above `maxBytes`, `ingest_malformed_body` for damaged data
 */
export function inflateMessage(message: Uint8Array, maxBytes: number): Uint8Array {
  const [first = 0, second = 0] = message;
  const isGzip = first === 0x1f && second === 0x8b;
  const isZlib = first === 0x78 && ((first << 8) | second) % 31 === 0;
  if (!isGzip && !isZlib) {
    if (message.length > maxBytes) throw messageTooLarge(maxBytes);
    return message;
  }
  // Messages are small and many; the default buffer for their output would cost more than the work.
  const chunkSize = Math.min(Math.max(message.length * 4, minChunkBytes), maxChunkBytes);
  try {
    const options = { maxOutputLength: maxBytes, chunkSize };
    return isGzip ? gunzipSync(message, options) : inflateSync(message, options);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') {
      throw messageTooLarge(maxBytes);
    }
    throw malformedBody('the message does not decompress', 0);
  }
}

export function messageTooLarge(limitBytes: number): NodeError {
  return new NodeError(
    'request_body_too_large',
    `a message is larger than ${limitBytes} bytes; send smaller ones`,
    { details: { limit_bytes: limitBytes } },
  );
}
