import { ByteBuffer } from './byte-buffer.ts';
import { malformedBody } from './malformed-body.ts';

/**
 * Longest joined name of a nested value. Without a bound a long name with many values below it would be stored
 * once for each of them, and a small body could take gigabytes.
 */
const maxPathBytes = 8 * 1024;

const dot = 0x2e;

/**
 * The name of the value being visited: nested keys joined by `.`. A name at the top is borrowed from the input;
 * only nested ones are copied. `bytes[start, end)` is the current name and stays valid until the next call.
 */
export class KeyPath {
  readonly #joined = new ByteBuffer(256);
  bytes: Uint8Array = this.#joined.bytes;
  start = 0;
  end = 0;

  /** Starts a name at the top. The span must stay unchanged while the name is in use. */
  borrow(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  /** Starts a name at the top whose span will be overwritten while the name is in use. */
  copy(bytes: Uint8Array, start: number, end: number): void {
    this.#joined.clear();
    this.#joined.append(bytes, start, end);
    this.#showJoined();
  }

  /** Appends `.key`. Returns the mark that `pop` takes. `offset` is where the input stands, for the error. */
  push(bytes: Uint8Array, start: number, end: number, offset: number): number {
    const joined = this.#joined;
    const mark = this.end - this.start;
    if (mark + 1 + end - start > maxPathBytes) {
      throw malformedBody(`nested names join to more than ${maxPathBytes} bytes`, offset);
    }
    if (this.bytes === joined.bytes && this.start === 0) {
      joined.size = mark;
    } else {
      joined.clear();
      joined.append(this.bytes, this.start, this.end);
    }
    joined.byte(dot);
    joined.append(bytes, start, end);
    this.#showJoined();
    return mark;
  }

  pop(mark: number): void {
    this.end = this.start + mark;
  }

  #showJoined(): void {
    this.bytes = this.#joined.bytes;
    this.start = 0;
    this.end = this.#joined.size;
  }
}
