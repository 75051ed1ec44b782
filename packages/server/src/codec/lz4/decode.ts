import { blockTooLong, brokenLz4, decodeBlock } from './block.ts';
import { type FrameHead, readFrameHead, skippableFrameEnd } from './frame-head.ts';
import { xxh32 } from './xxh32.ts';

const storedBit = 0x8000_0000;

/**
 * Decodes lz4 frames, one behind the other (github.com/lz4/lz4, doc/lz4_Frame_format.md). Undefined when they hold more
 * than `maxBytes`; never much more memory than that is taken. @throws NodeError `ingest_malformed_body`
 */
export function decodeLz4(bytes: Uint8Array, maxBytes: number): Uint8Array | undefined {
  return new FrameDecoder(bytes, maxBytes).decode();
}

class FrameDecoder {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #maxBytes: number;
  #out: Uint8Array;
  #size = 0;
  #position = 0;

  constructor(bytes: Uint8Array, maxBytes: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#maxBytes = maxBytes;
    this.#out = new Uint8Array(Math.min(maxBytes, bytes.length * 4));
  }

  decode(): Uint8Array | undefined {
    do {
      const skipped = skippableFrameEnd(this.#view, this.#position);
      if (skipped !== -1) {
        this.#position = skipped;
        continue;
      }
      const head = readFrameHead(this.#bytes, this.#position);
      this.#position = head.end;
      if (!this.#decodeFrame(head)) return undefined;
    } while (this.#position < this.#bytes.length);
    return this.#out.subarray(0, this.#size);
  }

  /** False when there is more than may be. */
  #decodeFrame(head: FrameHead): boolean {
    const frameStart = this.#size;
    for (;;) {
      const mark = this.#uint32();
      if (mark === 0) break;
      const length = mark % storedBit;
      const start = this.#position;
      const end = start + length;
      if (length > head.maxBlockBytes || end > this.#bytes.length) {
        throw brokenLz4('a block is longer than it may be');
      }
      this.#position = end;
      if (head.hasBlockChecksum) this.#check(this.#bytes, start, end);
      const windowStart = head.isLinked ? frameStart : this.#size;
      const isStored = mark >= storedBit;
      const isTaken = isStored
        ? this.#store(start, end)
        : this.#decodeBlock(start, end, { windowStart, maxBlockBytes: head.maxBlockBytes });
      if (!isTaken) return false;
    }
    if (head.contentBytes !== undefined && head.contentBytes !== this.#size - frameStart) {
      throw brokenLz4('its length is not what it says');
    }
    if (head.hasContentChecksum) this.#check(this.#out, frameStart, this.#size);
    return true;
  }

  #store(start: number, end: number): boolean {
    if (end - start > this.#maxBytes - this.#size) return false;
    this.#reserve(end - start);
    this.#out.set(this.#bytes.subarray(start, end), this.#size);
    this.#size += end - start;
    return true;
  }

  #decodeBlock(
    start: number,
    end: number,
    { windowStart, maxBlockBytes }: { windowStart: number; maxBlockBytes: number },
  ): boolean {
    const roomBytes = Math.min(maxBlockBytes, this.#maxBytes - this.#size);
    this.#reserve(roomBytes);
    const size = decodeBlock(this.#bytes, start, end, {
      out: this.#out,
      outStart: this.#size,
      outEnd: this.#size + roomBytes,
      windowStart,
    });
    if (size === blockTooLong) {
      if (roomBytes < maxBlockBytes) return false;
      throw brokenLz4('a block is longer than it may be');
    }
    this.#size = size;
    return true;
  }

  #reserve(bytes: number): void {
    const needed = this.#size + bytes;
    if (needed <= this.#out.length) return;
    const next = new Uint8Array(Math.min(this.#maxBytes, Math.max(needed, this.#out.length * 2)));
    next.set(this.#out.subarray(0, this.#size));
    this.#out = next;
  }

  #uint32(): number {
    if (this.#position + 4 > this.#bytes.length) throw brokenLz4('it ends too early');
    const value = this.#view.getUint32(this.#position, true);
    this.#position += 4;
    return value;
  }

  #check(bytes: Uint8Array, start: number, end: number): void {
    if (this.#uint32() !== xxh32(bytes, start, end)) throw brokenLz4('a checksum is wrong');
  }
}
