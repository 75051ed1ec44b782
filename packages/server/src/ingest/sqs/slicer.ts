import { ByteBuffer } from '../../codec/index.ts';

/** A part of an object's content that holds whole entries. */
export interface Slice {
  /** Has a buffer of its own. */
  readonly bytes: Uint8Array;
  /** Where it begins in the decompressed content. */
  readonly offset: number;
}

/** Cuts decompressed content into slices. */
export interface Slicer {
  add(chunk: Uint8Array): Slice[];
  end(): Slice[];
  /** Entries left out because they are too long. */
  readonly tooLong: number;
}

/** Tells where a stream may be cut: behind an entry and before the next one. */
export interface CutFinder {
  /** Index behind the last place in `bytes[start, end)` where a cut may be; -1 for none. Sees every byte once. */
  lastCut(bytes: Uint8Array, start: number, end: number): number;
  /** As `lastCut`, but stops behind the first cut and is not to see what follows it. */
  firstCut(bytes: Uint8Array, start: number, end: number): number;
}

const sliceBytes = 1024 * 1024;
const pieceBytes = 64 * 1024;

/**
 * Collects whole entries up to `sliceBytes`. Bound: one slice and one entry of `maxEntryBytes`; what is longer is passed
 * over to its end.
 */
export class EntrySlicer implements Slicer {
  readonly #finder: CutFinder;
  readonly #maxEntryBytes: number;
  readonly #sliceBytes: number;
  readonly #buffer = new ByteBuffer(pieceBytes);
  /** Offset of the first byte in the buffer. */
  #offset = 0;
  /** Behind the last whole entry in the buffer. */
  #cut = 0;
  #isSkipping = false;
  tooLong = 0;

  constructor(options: {
    readonly finder: CutFinder;
    readonly maxEntryBytes: number;
    /** Of the first byte that is added. */
    readonly offset: number;
    readonly sliceBytes?: number;
  }) {
    this.#finder = options.finder;
    this.#maxEntryBytes = options.maxEntryBytes;
    this.#offset = options.offset;
    this.#sliceBytes = options.sliceBytes ?? sliceBytes;
  }

  add(chunk: Uint8Array): Slice[] {
    const slices: Slice[] = [];
    for (let at = 0; at < chunk.length;) {
      if (this.#isSkipping) {
        const cut = this.#finder.firstCut(chunk, at, chunk.length);
        this.#offset += (cut === -1 ? chunk.length : cut) - at;
        if (cut === -1) return slices;
        this.#isSkipping = false;
        at = cut;
        continue;
      }
      const end = Math.min(at + pieceBytes, chunk.length);
      this.#take(chunk, at, end);
      at = end;
      if (this.#cut >= this.#sliceBytes) slices.push(this.#emit(this.#cut));
      else if (this.#buffer.size - this.#cut > this.#maxEntryBytes) slices.push(...this.#skip());
    }
    return slices;
  }

  end(): Slice[] {
    return this.#buffer.size === 0 ? [] : [this.#emit(this.#buffer.size)];
  }

  #take(chunk: Uint8Array, start: number, end: number): void {
    const before = this.#buffer.size;
    const cut = this.#finder.lastCut(chunk, start, end);
    this.#buffer.append(chunk, start, end);
    if (cut !== -1) this.#cut = before + cut - start;
  }

  /** Gives up the entry that has begun; what is whole before it is a slice. */
  #skip(): Slice[] {
    const slices = this.#cut === 0 ? [] : [this.#emit(this.#cut)];
    this.#offset += this.#buffer.size;
    this.#buffer.clear();
    this.#isSkipping = true;
    this.tooLong++;
    return slices;
  }

  #emit(end: number): Slice {
    const { bytes, size } = this.#buffer;
    const slice = { bytes: bytes.slice(0, end), offset: this.#offset };
    bytes.copyWithin(0, end, size);
    this.#buffer.size = size - end;
    this.#offset += end;
    this.#cut = 0;
    return slice;
  }
}
