import { ByteBuffer } from '../../codec/index.ts';
import type { RawEventBuilder } from '../../columns/index.ts';

/** Behind every rank; rank 0 is the most wanted. */
export const noRank = 15;

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A field that may still lose against a better one, and is an attribute then. */
export class HeldField {
  readonly value = new ByteBuffer(1024);
  #key: Uint8Array = this.value.bytes;
  rank = noRank;

  get isHeld(): boolean {
    return this.rank !== noRank;
  }

  hold(rank: number, key: Uint8Array, bytes: Uint8Array, span: Span): void {
    this.rank = rank;
    this.#key = key;
    this.value.clear();
    this.value.append(bytes, span.start, span.end);
  }

  giveBack(builder: RawEventBuilder): void {
    const { bytes, size } = this.value;
    builder.attribute(this.#key, 0, this.#key.length, bytes, 0, size);
  }
}
