import { gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { NodeError } from '../../base/errors.ts';
import { decodeLz4, decodeSnappy } from '../../codec/index.ts';
import { bodyTooLarge } from './body-reader.ts';
import { isSkippableFrame, zstdFrameEnd } from './zstd-frame.ts';

type Inflate = (body: Uint8Array, maxBytes: number) => Uint8Array;

const chunkSize = 128 * 1024;

const inflateGzip: Inflate = (body, maxOutputLength) =>
  gunzipSync(body, { maxOutputLength, chunkSize });

const isGzip = (body: Uint8Array): boolean => body[0] === 0x1f && body[1] === 0x8b;

/** "deflate" means zlib framing (RFC 9110 section 8.4.1.2), but some senders leave the framing out. */
const inflateEither: Inflate = (body, maxOutputLength) => {
  // RFC 1950: method 8 in the low nibble, and the first two bytes are a multiple of 31.
  const [first = 0, second = 0] = body;
  const isZlib = (first & 15) === 8 && ((first << 8) | second) % 31 === 0;
  const options = { maxOutputLength, chunkSize, rejectGarbageAfterEnd: true };
  return isZlib ? inflateSync(body, options) : inflateRawSync(body, options);
};

const inflateZstd: Inflate = (body, maxBytes) => {
  const frames: Uint8Array[] = [];
  let size = 0;
  for (let start = 0, end = 0; start < body.length; start = end) {
    end = zstdFrameEnd(body, start);
    if (end === -1) throw notDecompressed();
    if (isSkippableFrame(body, start)) continue;
    // One byte more than is left: an empty frame is fine when nothing is left.
    const maxOutputLength = maxBytes - size + 1;
    const frame = zstdDecompressSync(body.subarray(start, end), { maxOutputLength, chunkSize });
    size += frame.length;
    if (size > maxBytes) throw bodyTooLarge(maxBytes);
    frames.push(frame);
  }
  const [first] = frames;
  return frames.length === 1 && first !== undefined ? first : Buffer.concat(frames, size);
};

/** A decoder of ours: undefined when there is more than may be. */
const bounded =
  (decode: (body: Uint8Array, maxBytes: number) => Uint8Array | undefined): Inflate =>
  (body, maxBytes) => {
    const decoded = decode(body, maxBytes);
    if (decoded === undefined) throw bodyTooLarge(maxBytes);
    return decoded;
  };

const inflateByEncoding: Readonly<Record<string, Inflate>> = {
  gzip: inflateGzip,
  'x-gzip': inflateGzip,
  deflate: inflateEither,
  zlib: inflateEither,
  zstd: inflateZstd,
  // Either format under either name: older senders call the framing format `snappy` too.
  snappy: bounded(decodeSnappy),
  'x-snappy-framed': bounded(decodeSnappy),
  lz4: bounded(decodeLz4),
};

const maxEncodings = 4;

/** The decoders in the order they are to be applied: the encoding named last comes off first. */
function decodersOf(header: string): readonly Inflate[] {
  const names = header
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  const decoders = names.flatMap((name) =>
    Object.hasOwn(inflateByEncoding, name) ? (inflateByEncoding[name] ?? []) : [],
  );
  if (decoders.length !== names.length || names.length > maxEncodings) {
    throw new NodeError(
      'request_unsupported_media_type',
      `content-encoding must be ${Object.keys(inflateByEncoding).join(', ')} or identity`,
      { details: { header: 'content-encoding' } },
    );
  }
  return decoders.toReversed();
}

/**
 * The body as it was before `Content-Encoding`. Never inflates more than `maxBytes`, whatever the input claims;
 * an empty body stays empty.
 * @throws NodeError `request_body_too_large`, `ingest_malformed_body` for damaged or cut data,
 * `request_unsupported_media_type` for an encoding that is not known
 */
export function decompress(
  body: Uint8Array,
  encoding: string | undefined,
  maxBytes: number,
): Uint8Array {
  let result = body;
  const decoders = decodersOf(encoding ?? '');
  for (const decoder of decoders) {
    // Some clients (graypy) name every encoding they might use: a gzip layer that is not there is passed over.
    const isAbsent = decoders.length > 1 && decoder === inflateGzip && !isGzip(result);
    if (result.length > 0 && !isAbsent) result = run(decoder, result, maxBytes);
  }
  if (result.length > maxBytes) throw bodyTooLarge(maxBytes);
  return result;
}

function notDecompressed(cause?: unknown): NodeError {
  return new NodeError('ingest_malformed_body', 'the body does not decompress', { cause });
}

function run(decoder: Inflate, body: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return decoder(body, maxBytes);
  } catch (cause) {
    if (cause instanceof NodeError) throw cause;
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') {
      throw bodyTooLarge(maxBytes);
    }
    throw notDecompressed(cause);
  }
}
