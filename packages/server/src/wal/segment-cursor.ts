import type { OpenFile } from '../base/file-system.ts';
import {
  decodeRecordHeader,
  decodeSegmentHeader,
  paddedBytes,
  payloadMatches,
  recordHeaderBytes,
  recordMagic,
  saltSeed,
  segmentHeaderBytes,
  type SegmentHeader,
  type SegmentHeaderOutcome,
} from './segment.ts';

export interface WalRecord {
  readonly lsn: number;
  readonly rows: number;
  /** Starts on an 8-byte boundary of its buffer, so that Arrow can map it without a copy. */
  readonly payload: Uint8Array;
  /** Where the record's header begins in the segment. */
  readonly offset: number;
}

/** A buffer of its own (views of it outlive the next read) that is not zeroed first. */
function allocateOwn(bytes: number): Uint8Array {
  return Buffer.allocUnsafeSlow(bytes);
}

/** Reads a file in chunks and hands out views of them; a view stays valid after the next read. */
export class ChunkedSource {
  readonly sizeBytes: number;
  readonly #file: OpenFile;
  readonly #chunkBytes: number;
  readonly #allocate: (bytes: number) => Uint8Array;
  #chunk: Uint8Array = new Uint8Array(0);
  #chunkOffset = 0;

  constructor(
    file: OpenFile,
    sizes: { readonly sizeBytes: number; readonly chunkBytes: number },
    allocate: (bytes: number) => Uint8Array = allocateOwn,
  ) {
    this.#file = file;
    this.sizeBytes = sizes.sizeBytes;
    this.#chunkBytes = sizes.chunkBytes;
    this.#allocate = allocate;
  }

  /** Fewer bytes than asked only where the file ends. `offset` must be a multiple of 8. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const wanted = Math.min(length, this.sizeBytes - offset);
    const start = offset - this.#chunkOffset;
    if (start >= 0 && start + wanted <= this.#chunk.byteLength) {
      return this.#chunk.subarray(start, start + wanted);
    }
    const chunkBytes = Math.min(Math.max(wanted, this.#chunkBytes), this.sizeBytes - offset);
    const chunk = this.#allocate(chunkBytes);
    const filled = await this.#file.read(chunk, offset);
    this.#chunk = chunk.subarray(0, filled);
    this.#chunkOffset = offset;
    return this.#chunk.subarray(0, Math.min(wanted, filled));
  }
}

/** Walks the records of one segment and stops, without judging why, where no valid next record is. */
export class SegmentCursor {
  readonly header: SegmentHeader;
  readonly #source: ChunkedSource;
  readonly #seed: number;
  #offset = segmentHeaderBytes;
  #nextLsn: number;

  private constructor(source: ChunkedSource, header: SegmentHeader) {
    this.header = header;
    this.#source = source;
    this.#seed = saltSeed(header.salt);
    this.#nextLsn = header.firstLsn;
  }

  static async open(
    source: ChunkedSource,
  ): Promise<SegmentCursor | Exclude<SegmentHeaderOutcome, { readonly kind: 'valid' }>> {
    const outcome = decodeSegmentHeader(await source.read(0, segmentHeaderBytes));
    return outcome.kind === 'valid' ? new SegmentCursor(source, outcome.header) : outcome;
  }

  /** End of the last record that was read, where the next one is expected. */
  get offset(): number {
    return this.#offset;
  }

  get nextLsn(): number {
    return this.#nextLsn;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#source.sizeBytes;
  }

  async next(): Promise<WalRecord | undefined> {
    const offset = this.#offset;
    const header = decodeRecordHeader(
      await this.#source.read(offset, recordHeaderBytes),
      this.#seed,
    );
    if (header === undefined || header.lsn !== this.#nextLsn) return undefined;
    const padded = paddedBytes(header.payloadBytes);
    const bytes = await this.#source.read(offset + recordHeaderBytes, padded);
    if (bytes.byteLength < padded) return undefined;
    const payload = bytes.subarray(0, header.payloadBytes);
    if (!payloadMatches(header, payload, this.#seed)) return undefined;
    this.#offset = offset + recordHeaderBytes + padded;
    this.#nextLsn += 1;
    return { lsn: header.lsn, rows: header.rows, payload, offset };
  }

  /**
   * Offset of a record header somewhere behind the place where `next` stopped, or undefined.
   * A record is written only after the one before it was synced, so a header behind a bad record proves that the
   * bad record had been acknowledged. The salted checksum keeps event bodies from containing such a header.
   */
  async findLaterHeader(): Promise<number | undefined> {
    const windowBytes = 1 << 20;
    for (let base = this.#offset + 8; base < this.#source.sizeBytes; base += windowBytes) {
      const window = await this.#source.read(base, windowBytes + recordHeaderBytes);
      const view = new DataView(window.buffer, window.byteOffset, window.byteLength);
      const last = Math.min(window.byteLength - recordHeaderBytes, windowBytes - 8);
      for (let at = 0; at <= last; at += 8) {
        if (view.getUint32(at, true) !== recordMagic) continue;
        const header = decodeRecordHeader(window.subarray(at, at + recordHeaderBytes), this.#seed);
        if (header !== undefined) return base + at;
      }
    }
    return undefined;
  }
}
