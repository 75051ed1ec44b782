import { gunzipSync } from 'node:zlib';
import { bodyTooLarge } from '../http/index.ts';

const gzipMagic = [0x1f, 0x8b] as const;
const chunkSize = 128 * 1024;

/**
 * Undoes what is around the data of a record: base64, and gzip, which is told by its first bytes because the sender
 * does not say. One per request: all records together inflate to `maxInflatedBytes` at most.
 */
export class RecordData {
  readonly #maxInflatedBytes: number;
  #inflatedBytes = 0;
  #decoded: Buffer = Buffer.alloc(64 * 1024);

  constructor(maxInflatedBytes: number) {
    this.#maxInflatedBytes = maxInflatedBytes;
  }

  /**
   * The data behind base64 text; undefined when the text is no base64, or what it holds begins as gzip and cannot be
   * inflated. Stays valid until the next call. @throws NodeError `request_body_too_large`
   */
  decode(text: Uint8Array, start: number, end: number): Uint8Array | undefined {
    const data = this.#decodeBase64(text, start, end);
    if (data === undefined || data[0] !== gzipMagic[0] || data[1] !== gzipMagic[1]) return data;
    return this.#inflate(data);
  }

  #decodeBase64(text: Uint8Array, start: number, end: number): Uint8Array | undefined {
    let stop = end;
    while (stop > start && end - stop < 2 && text[stop - 1] === 0x3d) stop--;
    const decodedBytes = Math.floor(((stop - start) * 3) / 4);
    if ((stop - start) % 4 === 1) return undefined;
    if (decodedBytes > this.#decoded.length) this.#decoded = Buffer.alloc(decodedBytes * 2);
    // The native decoder passes over what is no base64, which leaves the result too short.
    const base64 = Buffer.from(text.buffer, text.byteOffset + start, stop - start);
    const size = this.#decoded.write(base64.toString('latin1'), 'base64');
    return size === decodedBytes ? this.#decoded.subarray(0, size) : undefined;
  }

  #inflate(data: Uint8Array): Uint8Array | undefined {
    const restBytes = this.#maxInflatedBytes - this.#inflatedBytes;
    try {
      // One byte more than is left, because no limit can be 0.
      const inflated = gunzipSync(data, { maxOutputLength: restBytes + 1, chunkSize });
      this.#inflatedBytes += inflated.length;
      if (inflated.length <= restBytes) return inflated;
    } catch (error) {
      const isTooLarge =
        error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      if (!isTooLarge) return undefined;
    }
    throw bodyTooLarge(this.#maxInflatedBytes);
  }
}
