/** A fingerprint is four 32-bit words; lists of them are flat `Uint32Array`s. */
export const fingerprintWords = 4;

const c1 = 0x239b961b;
const c2 = 0xab0e9789;
const c3 = 0x38b34ae5;
const c4 = 0xa1e38b93;

/**
 * 128-bit fingerprints of byte spans by the public MurmurHash3 (x86, 128 bits), with a start value per lane instead of
 * one for all. Not a cryptographic hash: what keeps tenants apart and clashes out of reach is the node's random seed.
 */
export class Fingerprinter {
  /** The fingerprint of the last `hash`; overwritten by the next one. */
  readonly words = new Uint32Array(fingerprintWords);
  readonly #seed: Uint32Array;

  constructor(seed: Uint32Array) {
    this.#seed = seed.slice(0, fingerprintWords);
  }

  /** Of `bytes[start, end)`, into `words`. Allocates nothing. */
  hash(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    const blocksEnd = start + (length & ~15);
    let h1 = this.#seed[0]!;
    let h2 = this.#seed[1]!;
    let h3 = this.#seed[2]!;
    let h4 = this.#seed[3]!;
    for (let at = start; at < blocksEnd; at += 16) {
      h1 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at), c1), 15), c2);
      h1 = (Math.imul((rotate(h1, 19) + h2) | 0, 5) + 0x561ccd1b) | 0;
      h2 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at + 4), c2), 16), c3);
      h2 = (Math.imul((rotate(h2, 17) + h3) | 0, 5) + 0x0bcaa747) | 0;
      h3 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at + 8), c3), 17), c4);
      h3 = (Math.imul((rotate(h3, 15) + h4) | 0, 5) + 0x96cd1c35) | 0;
      h4 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at + 12), c4), 18), c1);
      h4 = (Math.imul((rotate(h4, 13) + h1) | 0, 5) + 0x32ac3b17) | 0;
    }
    const tail = end - blocksEnd;
    if (tail > 12) {
      h4 ^= Math.imul(rotate(Math.imul(tailWord(bytes, blocksEnd + 12, end), c4), 18), c1);
    }
    if (tail > 8)
      h3 ^= Math.imul(rotate(Math.imul(tailWord(bytes, blocksEnd + 8, end), c3), 17), c4);
    if (tail > 4)
      h2 ^= Math.imul(rotate(Math.imul(tailWord(bytes, blocksEnd + 4, end), c2), 16), c3);
    if (tail > 0) h1 ^= Math.imul(rotate(Math.imul(tailWord(bytes, blocksEnd, end), c1), 15), c2);
    h1 ^= length;
    h2 ^= length;
    h3 ^= length;
    h4 ^= length;
    h1 = (h1 + h2 + h3 + h4) | 0;
    h2 = (h2 + h1) | 0;
    h3 = (h3 + h1) | 0;
    h4 = (h4 + h1) | 0;
    h1 = avalanche(h1);
    h2 = avalanche(h2);
    h3 = avalanche(h3);
    h4 = avalanche(h4);
    h1 = (h1 + h2 + h3 + h4) | 0;
    this.words[0] = h1;
    this.words[1] = h2 + h1;
    this.words[2] = h3 + h1;
    this.words[3] = h4 + h1;
  }
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function avalanche(word: number): number {
  let mixed = word ^ (word >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

/** The up to four bytes from `at` on, zero where the span has ended. */
function tailWord(bytes: Uint8Array, at: number, end: number): number {
  let word = 0;
  for (let index = Math.min(end, at + 4) - 1; index >= at; index -= 1) {
    word = (word << 8) | bytes[index]!;
  }
  return word;
}
