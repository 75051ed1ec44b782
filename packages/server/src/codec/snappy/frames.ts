import { brokenSnappy, decodeElements, readBlockHead } from './block.ts';
import { crc32c } from './crc32c.ts';

const streamStart = Uint8Array.of(0xff, 6, 0, 0, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59);
const compressedChunk = 0x00;
const plainChunk = 0x01;
const firstSkippableChunk = 0x80;
const headBytes = 4;
const checksumBytes = 4;
/** What one chunk may hold, decoded. */
const maxChunkBytes = 65_536;

/** Whether the bytes are in the framing format rather than one block. */
export function isFramed(bytes: Uint8Array): boolean {
  return streamStart.every((byte, index) => bytes[index] === byte);
}

interface Chunk {
  readonly isCompressed: boolean;
  readonly checksum: number;
  /** The data, behind the head of a block when it is compressed. */
  readonly start: number;
  readonly end: number;
  readonly decodedBytes: number;
}

/** The chunks that hold data (google/snappy, framing_format.txt). */
function* dataChunks(bytes: Uint8Array): Generator<Chunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length;) {
    if (at + headBytes > bytes.length) throw brokenSnappy('it ends inside a chunk');
    const head = view.getUint32(at, true);
    const kind = head & 0xff;
    const dataStart = at + headBytes;
    const end = dataStart + (head >>> 8);
    if (end > bytes.length) throw brokenSnappy('it ends inside a chunk');
    at = end;
    if (kind >= firstSkippableChunk) continue;
    if (kind > plainChunk) throw brokenSnappy('a chunk is of an unknown kind');
    const start = dataStart + checksumBytes;
    if (start > end) throw brokenSnappy('a chunk has no checksum');
    const checksum = view.getUint32(dataStart, true);
    const isCompressed = kind === compressedChunk;
    const block = isCompressed
      ? readBlockHead(bytes, start, end)
      : { start, decodedBytes: end - start };
    if (block.decodedBytes > maxChunkBytes) throw brokenSnappy('a chunk is too long');
    yield { isCompressed, checksum, end, ...block };
  }
}

/** Rotated and offset, so that data which holds checksums of its own does not match by accident. */
function maskedChecksum(bytes: Uint8Array, start: number, end: number): number {
  const crc = crc32c(bytes, start, end);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/**
 * Decodes a stream in the framing format; undefined when it has more than `maxBytes`.
 * @throws NodeError `ingest_malformed_body`
 */
export function decodeFrames(bytes: Uint8Array, maxBytes: number): Uint8Array | undefined {
  let size = 0;
  for (const { decodedBytes } of dataChunks(bytes)) {
    size += decodedBytes;
    if (size > maxBytes) return undefined;
  }
  const out = new Uint8Array(size);
  let outStart = 0;
  for (const { isCompressed, checksum, start, end, decodedBytes } of dataChunks(bytes)) {
    const outEnd = outStart + decodedBytes;
    if (isCompressed) {
      decodeElements(bytes, start, end, { out, outStart, outEnd });
    } else {
      out.set(bytes.subarray(start, end), outStart);
    }
    if (maskedChecksum(out, outStart, outEnd) !== checksum) {
      throw brokenSnappy('a checksum does not match');
    }
    outStart = outEnd;
  }
  return out;
}
