/**
 * What this holds: the fingerprints of the last events that carried a stable id, in memory of fixed size.
 * Layout: one buffer of counters, a ring of fingerprints in order of insertion, and an open-addressed index of ring
 *   slots at most half full. Everything that changes lies in that buffer and nothing beside it, so that it may be a
 *   `SharedArrayBuffer` several threads look at; they need a lock around each call, which is not taken here.
 * Ordering: `mark` before a batch or a group, `rollback` when it is refused: newest first, so nested marks work.
 * After a crash: the window is rebuilt from the fingerprint files and the segments (see `openDedupWindow`).
 * Size bound: 32 bytes for each of `ringEvents(windowEvents)` events, 64 MiB for the default window.
 */
import { assert } from '../../base/assert.ts';
import { fingerprintWords } from '../../codec/index.ts';
import { TenantFingerprinters, type Span } from './tenant-fingerprinters.ts';

/**
 * Room beside the window for insertions that may yet be rolled back. As long as no more than these are pending, a
 * rollback leaves the last `windowEvents` of the rest in place.
 */
const pendingEvents = 65_536;

const headerBytes = 64;
const insertedCounter = 0;
const oldestCounter = 1;

export interface DedupWindowOptions {
  /** At least this many of the newest events are remembered. */
  readonly windowEvents: number;
  /** Four words, secret and random, stored with the fingerprint files. */
  readonly seed: Uint32Array;
  /** Zeroed memory of `DedupWindow.bufferBytes(windowEvents)`, or one that another window has filled. */
  readonly buffer?: ArrayBufferLike;
}

export class DedupWindow {
  readonly seed: Uint32Array;
  readonly #counters: Float64Array;
  readonly #ring: Uint32Array;
  /** Pairs of (ring slot + 1, first word of the fingerprint); 0 is an empty place. */
  readonly #index: Uint32Array;
  readonly #ringEvents: number;
  readonly #indexMask: number;
  readonly #tenants: TenantFingerprinters;

  constructor(options: DedupWindowOptions) {
    const ringEvents = ringEventsOf(options.windowEvents);
    const buffer = options.buffer ?? new ArrayBuffer(DedupWindow.bufferBytes(options.windowEvents));
    this.seed = options.seed;
    this.#tenants = new TenantFingerprinters(options.seed);
    this.#ringEvents = ringEvents;
    this.#indexMask = 2 * ringEvents - 1;
    this.#counters = new Float64Array(buffer, 0, 2);
    this.#ring = new Uint32Array(buffer, headerBytes, ringEvents * fingerprintWords);
    this.#index = new Uint32Array(buffer, headerBytes + ringEvents * 16, ringEvents * 4);
  }

  static bufferBytes(windowEvents: number): number {
    return headerBytes + ringEventsOf(windowEvents) * 32;
  }

  get size(): number {
    return this.#counter(insertedCounter) - this.#counter(oldestCounter);
  }

  /** How many events can be remembered; at least `windowEvents`. */
  get capacity(): number {
    return this.#ringEvents;
  }

  /**
   * True when the id is new for the tenant in this window, and remembers it. The spans must be what is stored in the
   * `tenant` and `idempotency_key` columns: the window is rebuilt from those after a restart.
   */
  insert(tenant: Uint8Array, tenantSpan: Span, id: Uint8Array, idSpan: Span): boolean {
    const fingerprinter = this.#tenants.fingerprinterOf(tenant, tenantSpan);
    fingerprinter.hash(id, idSpan.start, idSpan.end);
    return this.insertFingerprint(fingerprinter.words, 0);
  }

  /** A point to roll back to. */
  mark(): number {
    return this.#counter(insertedCounter);
  }

  /** Forgets everything inserted since the mark, which must not lie behind an earlier rollback. */
  rollback(mark: number): void {
    let inserted = this.#counter(insertedCounter);
    assert(mark <= inserted, 'the mark lies behind what is remembered');
    const oldest = this.#counter(oldestCounter);
    while (inserted > mark && inserted > oldest) {
      inserted -= 1;
      this.#dropFromIndex(this.#slotOf(inserted));
    }
    this.#counters[insertedCounter] = mark;
    this.#counters[oldestCounter] = Math.min(oldest, mark);
  }

  /**
   * Remembers the fingerprint `words[at, at + 4)` and returns true, or returns false if it is remembered already.
   * The oldest one is forgotten when the window is full.
   */
  insertFingerprint(words: Uint32Array, at: number): boolean {
    const first = words[at]!;
    if (this.#contains(words, at)) return false;
    const inserted = this.#counter(insertedCounter);
    const oldest = this.#counter(oldestCounter);
    if (inserted - oldest === this.#ringEvents) {
      this.#dropFromIndex(this.#slotOf(oldest));
      this.#counters[oldestCounter] = oldest + 1;
    }
    const slot = this.#slotOf(inserted);
    const ringAt = slot * fingerprintWords;
    this.#ring[ringAt] = first;
    this.#ring[ringAt + 1] = words[at + 1]!;
    this.#ring[ringAt + 2] = words[at + 2]!;
    this.#ring[ringAt + 3] = words[at + 3]!;
    let place = first & this.#indexMask;
    while (this.#index[2 * place] !== 0) place = (place + 1) & this.#indexMask;
    this.#index[2 * place] = slot + 1;
    this.#index[2 * place + 1] = first;
    this.#counters[insertedCounter] = inserted + 1;
    return true;
  }

  #contains(words: Uint32Array, at: number): boolean {
    const first = words[at]!;
    const index = this.#index;
    const ring = this.#ring;
    let place = first & this.#indexMask;
    for (;;) {
      const entry = index[2 * place]!;
      if (entry === 0) return false;
      const ringAt = (entry - 1) * fingerprintWords;
      if (
        index[2 * place + 1] === first &&
        ring[ringAt + 1] === words[at + 1] &&
        ring[ringAt + 2] === words[at + 2] &&
        ring[ringAt + 3] === words[at + 3]
      ) {
        return true;
      }
      place = (place + 1) & this.#indexMask;
    }
  }

  /** Deletes a slot's entry and moves later ones of its cluster up, so that no search breaks off at the gap. */
  #dropFromIndex(slot: number): void {
    const index = this.#index;
    const mask = this.#indexMask;
    let gap = this.#ring[slot * fingerprintWords]! & mask;
    while (index[2 * gap] !== slot + 1) {
      assert(index[2 * gap] !== 0, 'a remembered fingerprint is missing from the index');
      gap = (gap + 1) & mask;
    }
    let place = gap;
    for (;;) {
      place = (place + 1) & mask;
      if (index[2 * place] === 0) break;
      const home = index[2 * place + 1]! & mask;
      if (((place - home) & mask) >= ((place - gap) & mask)) {
        index[2 * gap] = index[2 * place]!;
        index[2 * gap + 1] = index[2 * place + 1]!;
        gap = place;
      }
    }
    index[2 * gap] = 0;
  }

  #slotOf(sequence: number): number {
    return (sequence >>> 0) & (this.#ringEvents - 1);
  }

  #counter(which: number): number {
    return this.#counters[which]!;
  }
}

function ringEventsOf(windowEvents: number): number {
  assert(windowEvents > 0 && windowEvents <= 2 ** 27, 'the dedup window has a bad size');
  return 2 ** Math.ceil(Math.log2(windowEvents + pendingEvents));
}
