const frameMagic = [0x28, 0xb5, 0x2f, 0xfd] as const;
const dictionaryIdBytes = [0, 1, 2, 4] as const;
const repeatBlock = 1;

/** What the bytes that come next are. */
type State =
  | 'magic'
  | 'descriptor'
  | 'header'
  | 'blockHead'
  | 'block'
  | 'checksum'
  | 'skipSize'
  | 'skip';

export interface ScannedSpan {
  /** End of the span in the chunk; -1 when the bytes are no frame. */
  readonly end: number;
  /** Whether the span ends its frame. */
  readonly isFrameEnd: boolean;
  /** False inside a skippable frame. */
  readonly isData: boolean;
}

/** Finds where zstd frames end (RFC 8878 section 3.1) in a stream that comes in chunks cut anywhere. */
export class ZstdFrameScanner {
  #state: State = 'magic';
  /** Bytes until the state ends. */
  #left = 4;
  /** Little-endian value of the field being read, of up to four bytes. */
  #value = 0;
  #shift = 0;
  #isSkippable = false;
  #hasChecksum = false;
  #isLastBlock = false;

  get isInFrame(): boolean {
    return this.#state !== 'magic' || this.#left !== 4;
  }

  /** The bytes from `start` on that belong to one frame. */
  next(chunk: Uint8Array, start: number): ScannedSpan {
    let at = start;
    while (at < chunk.length) {
      if (this.#state === 'block' || this.#state === 'skip' || this.#state === 'header') {
        const taken = Math.min(this.#left, chunk.length - at);
        this.#left -= taken;
        at += taken;
      } else {
        const byte = chunk[at++]!;
        if (this.#state === 'magic' && !this.#takeMagic(byte)) return noFrame;
        this.#value += byte * 2 ** this.#shift;
        this.#shift += 8;
        this.#left--;
      }
      while (this.#left === 0) {
        if (this.#advance()) return { end: at, isFrameEnd: true, isData: !this.#isSkippable };
      }
    }
    return { end: at, isFrameEnd: false, isData: !this.#isSkippable };
  }

  /** The first byte tells which of the two magic numbers comes. */
  #takeMagic(byte: number): boolean {
    const index = 4 - this.#left;
    if (index === 0) this.#isSkippable = byte >> 4 === 5;
    if (!this.#isSkippable) return byte === frameMagic[index];
    return index === 0 || byte === [0, 0x2a, 0x4d, 0x18][index];
  }

  /** Goes to the next state when the current one has all its bytes; true at the end of a frame. */
  #advance(): boolean {
    const value = this.#value;
    this.#value = 0;
    this.#shift = 0;
    switch (this.#state) {
      case 'magic':
        if (this.#isSkippable) this.#enter('skipSize', 4);
        else this.#enter('descriptor', 1);
        return false;
      case 'descriptor':
        this.#hasChecksum = (value & 4) !== 0;
        this.#enter('header', headerFieldBytes(value));
        return false;
      case 'header':
        this.#enter('blockHead', 3);
        return false;
      case 'blockHead': {
        this.#isLastBlock = (value & 1) === 1;
        const type = (value >> 1) & 3;
        this.#enter('block', type === repeatBlock ? 1 : value >>> 3);
        return false;
      }
      case 'block':
        if (!this.#isLastBlock) {
          this.#enter('blockHead', 3);
          return false;
        }
        if (!this.#hasChecksum) return this.#endFrame();
        this.#enter('checksum', 4);
        return false;
      case 'skipSize':
        this.#enter('skip', value);
        return false;
      case 'checksum':
      case 'skip':
        return this.#endFrame();
    }
  }

  #enter(state: State, bytes: number): void {
    this.#state = state;
    this.#left = bytes;
  }

  #endFrame(): true {
    this.#enter('magic', 4);
    return true;
  }
}

const noFrame: ScannedSpan = { end: -1, isFrameEnd: false, isData: false };

/** Bytes of window descriptor, dictionary id and content size. */
function headerFieldBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const contentSizeBytes = sizeFlag === 0 ? (isSingleSegment ? 1 : 0) : 1 << sizeFlag;
  return (isSingleSegment ? 0 : 1) + (dictionaryIdBytes[descriptor & 3] ?? 0) + contentSizeBytes;
}
