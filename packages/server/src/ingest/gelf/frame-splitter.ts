import type { ErrorCode } from '@varve/contract';
import { ByteBuffer } from '../../codec/index.ts';

const nul = 0;
const lineFeed = 0x0a;

export interface FrameSplitterOptions {
  readonly maxFrameBytes: number;
  /** Whether a line feed ends a frame as well; pretty-printed JSON cannot be sent then. */
  readonly isLineFeedEnd: boolean;
  /** The frame is valid for the call only. */
  readonly onFrame: (frame: Uint8Array) => void;
  readonly onLost: (reason: ErrorCode) => void;
  /** Asks for `bytes` more, or gives back a negative number, of what all connections together may hold. */
  readonly hold: (bytes: number) => boolean;
}

/** Cuts the byte stream of one connection into frames. Empty frames are skipped. */
export class FrameSplitter {
  readonly #options: FrameSplitterOptions;
  /** The frame that has begun. Freed with it, so that an idle connection holds nothing. */
  #begun: ByteBuffer | undefined;
  /** The frame was given up; everything up to its end is passed over. */
  #isSkipping = false;

  constructor(options: FrameSplitterOptions) {
    this.#options = options;
  }

  /** Whether a frame has begun and its end has not come. */
  get isInFrame(): boolean {
    return this.#begun !== undefined || this.#isSkipping;
  }

  add(chunk: Uint8Array): void {
    let start = 0;
    for (;;) {
      const end = this.#findEnd(chunk, start);
      if (end === -1) break;
      this.#endFrame(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The connection is closed: what is left is a last frame without an end. */
  end(): void {
    this.#endFrame(new Uint8Array(0));
  }

  /** Gives the frame that has begun up. */
  abandon(reason: ErrorCode): void {
    if (this.#begun !== undefined) this.#lose(reason);
  }

  #findEnd(chunk: Uint8Array, start: number): number {
    const end = chunk.indexOf(nul, start);
    if (!this.#options.isLineFeedEnd) return end;
    const feed = chunk.indexOf(lineFeed, start);
    return end === -1 || (feed !== -1 && feed < end) ? feed : end;
  }

  #endFrame(last: Uint8Array): void {
    if (this.#isSkipping) {
      this.#isSkipping = false;
      return;
    }
    const { maxFrameBytes, onFrame, onLost } = this.#options;
    const begun = this.#begun;
    const size = (begun?.size ?? 0) + last.length;
    if (size > maxFrameBytes) {
      onLost('request_body_too_large');
    } else if (begun === undefined) {
      if (!isBlank(last)) onFrame(last);
    } else {
      begun.append(last, 0, last.length);
      const frame = begun.bytes.subarray(0, size);
      begun.size -= last.length;
      if (!isBlank(frame)) onFrame(frame);
    }
    this.#release();
  }

  #keep(rest: Uint8Array): void {
    if (this.#isSkipping) return;
    const { maxFrameBytes, hold } = this.#options;
    if ((this.#begun?.size ?? 0) + rest.length > maxFrameBytes) {
      this.#lose('request_body_too_large');
    } else if (hold(rest.length)) {
      this.#begun ??= new ByteBuffer(Math.max(rest.length, 1024));
      this.#begun.append(rest, 0, rest.length);
    } else {
      this.#lose('ingest_backpressure');
    }
  }

  #lose(reason: ErrorCode): void {
    this.#release();
    this.#isSkipping = true;
    this.#options.onLost(reason);
  }

  #release(): void {
    if (this.#begun !== undefined) this.#options.hold(-this.#begun.size);
    this.#begun = undefined;
  }
}

function isBlank(frame: Uint8Array): boolean {
  for (let at = 0; at < frame.length; at++) if (frame[at]! > 0x20) return false;
  return true;
}
