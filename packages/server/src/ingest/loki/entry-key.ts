import { ByteBuffer, Fingerprinter, fingerprintWords } from '../../codec/index.ts';

const base64Codes = new TextEncoder().encode(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
);
/** 128 bits as base64. */
const keyBytes = 22;
const separator = 0xff;

/** Fixed, so that the key of an entry is the same on every node and in every run. */
const keySeed = Uint32Array.of(0x6c6f6b69, 0x656e7472, 0x795f6b65, 0x795f7631);

/**
 * Fingerprint of a set of names and values in which their order does not count: senders keep labels in hash maps,
 * whose order may change between two attempts.
 */
export class PairSetFingerprint {
  readonly words = new Uint32Array(fingerprintWords);
  readonly #pair = new ByteBuffer(256);
  readonly #fingerprinter = new Fingerprinter(keySeed);

  clear(): void {
    this.words.fill(0);
  }

  add(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    const pair = this.#pair;
    const { words } = this;
    pair.clear();
    pair.append(key, keyStart, keyEnd);
    // Never part of UTF-8, so no name can run over into its value.
    pair.byte(separator);
    pair.append(value, valueStart, valueEnd);
    this.#fingerprinter.hash(pair.bytes, 0, pair.size);
    const added = this.#fingerprinter.words;
    for (let index = 0; index < fingerprintWords; index++) words[index]! += added[index]!;
  }
}

export interface EntryIdentity {
  readonly labels: PairSetFingerprint;
  readonly metadata: PairSetFingerprint;
  readonly timeHigh: number;
  readonly timeLow: number;
}

const identityWords = 3 * fingerprintWords + 3;

/**
 * The stable id of an entry. Loki has none on the wire: there an entry is its stream, time and line, and an entry
 * that is equal to an earlier one is dropped. So a request that is sent again gives the same keys. Equal entries
 * within one request are told apart by counting them: no retry repeats an entry in the same request, so they are
 * events of their own.
 */
export class EntryKey {
  readonly bytes = new Uint8Array(keyBytes);
  readonly #line = new Fingerprinter(keySeed);
  readonly #entry = new Fingerprinter(keySeed);
  readonly #identity = new Uint32Array(identityWords);
  readonly #identityBytes = new Uint8Array(this.#identity.buffer);
  /** How often the request has had an entry with these leading bits. */
  readonly #counts = new Map<number, number>();

  beginRequest(): void {
    this.#counts.clear();
  }

  /** Puts the key of the entry whose line is `bytes[start, end)` into `this.bytes`. */
  write(entry: EntryIdentity, bytes: Uint8Array, start: number, end: number): void {
    const identity = this.#identity;
    this.#line.hash(bytes, start, end);
    identity.set(entry.labels.words, 0);
    identity.set(entry.metadata.words, fingerprintWords);
    identity.set(this.#line.words, 2 * fingerprintWords);
    identity[identityWords - 3] = entry.timeHigh;
    identity[identityWords - 2] = entry.timeLow;
    identity[identityWords - 1] = 0;
    this.#entry.hash(this.#identityBytes, 0, this.#identityBytes.length);
    const repeats = this.#countEarlier(this.#entry.words[0]! >>> 2);
    if (repeats > 0) {
      identity[identityWords - 1] = repeats;
      this.#entry.hash(this.#identityBytes, 0, this.#identityBytes.length);
    }
    this.#writeBase64(this.#entry.words);
  }

  #countEarlier(bits: number): number {
    const earlier = this.#counts.get(bits) ?? 0;
    this.#counts.set(bits, earlier + 1);
    return earlier;
  }

  #writeBase64(words: Uint32Array): void {
    const { bytes } = this;
    let at = 0;
    let held = 0;
    let heldBits = 0;
    for (let index = 0; index < fingerprintWords; index++) {
      const word = words[index]!;
      for (let half = 0; half < 2; half++) {
        held = (held << 16) | (half === 0 ? word >>> 16 : word & 0xffff);
        heldBits += 16;
        while (heldBits >= 6) {
          heldBits -= 6;
          bytes[at++] = base64Codes[(held >>> heldBits) & 63]!;
        }
        held &= 63;
      }
    }
    bytes[at] = base64Codes[(held << (6 - heldBits)) & 63]!;
  }
}
