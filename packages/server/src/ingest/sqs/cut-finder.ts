import type { CutFinder } from './slicer.ts';

const lineFeed = 0x0a;
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/** Lines: cut behind line feeds. */
export const lineCuts: CutFinder = {
  lastCut(bytes, start, end) {
    const feed = bytes.subarray(start, end).lastIndexOf(lineFeed);
    return feed === -1 ? -1 : start + feed + 1;
  },
  firstCut(bytes, start, end) {
    const feed = bytes.subarray(start, end).indexOf(lineFeed);
    return feed === -1 ? -1 : start + feed + 1;
  },
};

const plain = 0;
const opening = 1;
const closing = 2;
const separating = 3;
const quoting = 4;

const meaning = new Uint8Array(256);
for (const character of '{[') meaning[character.charCodeAt(0)] = opening;
for (const character of '}]') meaning[character.charCodeAt(0)] = closing;
meaning[comma] = separating;
meaning[lineFeed] = separating;
meaning[quote] = quoting;

/**
 * JSON values at one depth of a text: 0 for values behind each other, 1 for the elements of an array. Looks at brackets and strings only; the reader of the slices finds out what is no JSON.
 */
export class JsonCuts implements CutFinder {
  readonly #entryDepth: number;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  constructor(entryDepth: number) {
    this.#entryDepth = entryDepth;
  }

  lastCut(bytes: Uint8Array, start: number, end: number): number {
    let last = -1;
    for (let at = start; at < end;) {
      const cut = this.firstCut(bytes, at, end);
      if (cut === -1) break;
      last = cut;
      at = cut;
    }
    return last;
  }

  firstCut(bytes: Uint8Array, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === backslash) this.#isEscaped = true;
        else if (byte === quote) this.#isInString = false;
        continue;
      }
      switch (meaning[byte]) {
        case plain:
          break;
        case quoting:
          this.#isInString = true;
          break;
        case opening:
          this.#depth++;
          // Nothing before the first entry belongs to it.
          if (this.#depth <= this.#entryDepth) return at + 1;
          break;
        case closing:
          this.#depth = Math.max(0, this.#depth - 1);
          if (this.#depth <= this.#entryDepth) return at + 1;
          break;
        default:
          if (this.#depth <= this.#entryDepth) return at + 1;
      }
    }
    return -1;
  }
}
