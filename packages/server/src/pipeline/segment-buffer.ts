import { assert } from '../base/assert.ts';
import type { FileSystem } from '../base/file-system.ts';
import { endOfStream } from '../columns/index.ts';
import { readWholeSegment, type WalRecord } from '../wal/index.ts';

/** More than a segment and its last record usually are; what an exceptional one took is given back. */
const keepMaxBytes = 96 * 1024 * 1024;

/** A segment in memory; both views are valid until the next `read`. */
export interface SegmentContents {
  readonly records: readonly WalRecord[];
  /** The records as one Arrow stream with schema message and end marker. Moves them: `records` is void then. */
  takeStream(): Uint8Array;
}

/**
 * One buffer for one segment after another: memory that was used before costs no page faults, and nothing is left to
 * the garbage collector. The stream is made in place, so a segment is in memory once.
 */
export class SegmentBuffer {
  readonly #schemaMessage: Uint8Array;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(schemaMessage: Uint8Array) {
    this.#schemaMessage = schemaMessage;
  }

  /** Throws what `readSegment` throws. */
  async read(fileSystem: FileSystem, path: string): Promise<SegmentContents> {
    const headBytes = this.#schemaMessage.byteLength;
    if (this.#bytes.byteLength > keepMaxBytes) this.#bytes = new Uint8Array(0);
    const allocate = (bytes: number): Uint8Array =>
      this.#reserve(headBytes + bytes).subarray(headBytes, headBytes + bytes);
    const records = await readWholeSegment({ fileSystem, path, allocate });
    return { records, takeStream: () => this.#takeStream(records) };
  }

  #reserve(bytes: number): Uint8Array {
    if (this.#bytes.byteLength < bytes) {
      // Segments of a steady load differ by a record or two.
      this.#bytes = Buffer.allocUnsafeSlow(Math.ceil(bytes * 1.25));
    }
    return this.#bytes;
  }

  /** Every payload moves towards the start: the headers of segment and records before it are left out. */
  #takeStream(records: readonly WalRecord[]): Uint8Array {
    const bytes = this.#bytes;
    bytes.set(this.#schemaMessage, 0);
    let at = this.#schemaMessage.byteLength;
    for (const { payload } of records) {
      const start = payload.byteOffset - bytes.byteOffset;
      assert(payload.buffer === bytes.buffer && start >= at, 'payloads lie in the buffer in order');
      bytes.copyWithin(at, start, start + payload.byteLength);
      at += payload.byteLength;
    }
    bytes.set(endOfStream, at);
    return bytes.subarray(0, at + endOfStream.byteLength);
  }
}
