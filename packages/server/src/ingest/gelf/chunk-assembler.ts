import type { ErrorCode } from '@varve/contract';
import type { Clock } from '../../base/clock.ts';

const magicFirst = 0x1e;
const magicSecond = 0x0f;
const headBytes = 12;
const maxChunks = 128;
const lifetimeMs = 5000;
/** What keeping a chunk takes besides its data, roughly; bounds the number of tiny ones. */
const chunkOverheadBytes = 256;
const defaultBounds = { sets: 8192, bytes: 64 * 1024 * 1024, closed: 65_536 };

export interface ChunkAssemblerOptions {
  /** Limit of one message as its chunks carry it, that is compressed. */
  readonly maxMessageBytes: number;
  readonly clock: Clock;
  /** Called once for each message that will never be whole. */
  readonly onLost: (reason: ErrorCode) => void;
  readonly bounds?: Partial<typeof defaultBounds>;
}

interface ChunkSet {
  readonly key: string;
  readonly expiresMs: number;
  readonly parts: (Uint8Array | undefined)[];
  missing: number;
  dataBytes: number;
  heldBytes: number;
}

export function isChunk(datagram: Uint8Array): boolean {
  return datagram[0] === magicFirst && datagram[1] === magicSecond;
}

/**
 * Puts chunked GELF messages together. A chunk has a magic number of 2 bytes, the message id of 8, sequence number,
 * sequence count and data; all chunks of a message must come within 5 seconds of its first one. A message is known by its
 * id and the address of its sender. Bounds: `bounds.sets` incomplete messages of `bounds.bytes` together, the oldest
 * gives way; finished ones are remembered for 5 seconds more, so that a repeated chunk starts nothing new.
 */
export class ChunkAssembler {
  readonly #options: ChunkAssemblerOptions;
  readonly #bounds: typeof defaultBounds;
  /** Oldest first, as everything here lives equally long. */
  readonly #open = new Map<string, ChunkSet>();
  readonly #closed = new Map<string, number>();
  #heldBytes = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(options: ChunkAssemblerOptions) {
    this.#options = options;
    this.#bounds = { ...defaultBounds, ...options.bounds };
  }

  /** Incomplete messages and what they hold. */
  get pending(): { readonly sets: number; readonly bytes: number } {
    return { sets: this.#open.size, bytes: this.#heldBytes };
  }

  /** Takes a datagram that `isChunk`; the message when it was the last one missing. Keeps a copy of the data. */
  add(chunk: Uint8Array, peer: string): Uint8Array | undefined {
    const sequence = chunk[10] ?? 0;
    const count = chunk[11] ?? 0;
    if (chunk.length < headBytes || count === 0 || count > maxChunks || sequence >= count) {
      this.#options.onLost('ingest_malformed_body');
      return undefined;
    }
    this.#expire();
    const key = `${Buffer.from(chunk.buffer, chunk.byteOffset + 2, 8).toString('latin1')}${peer}`;
    if (this.#closed.has(key)) return undefined;
    const set = this.#open.get(key) ?? this.#begin(key, count);
    if (set.parts.length !== count) {
      this.#lose(set, 'ingest_malformed_body');
      return undefined;
    }
    if (set.parts[sequence] !== undefined) return undefined;
    const data = chunk.slice(headBytes);
    set.parts[sequence] = data;
    set.missing--;
    set.dataBytes += data.length;
    set.heldBytes += data.length + chunkOverheadBytes;
    this.#heldBytes += data.length + chunkOverheadBytes;
    if (set.dataBytes > this.#options.maxMessageBytes) {
      this.#lose(set, 'request_body_too_large');
      return undefined;
    }
    if (set.missing > 0) {
      this.#makeRoom();
      return undefined;
    }
    this.#close(set);
    return Buffer.concat(set.parts.filter((part) => part !== undefined));
  }

  /** Gives up what is incomplete. */
  close(): void {
    this.#cancelTimer?.();
    for (const set of this.#open.values()) this.#lose(set, 'ingest_incomplete_message');
  }

  #begin(key: string, count: number): ChunkSet {
    const { clock } = this.#options;
    const set: ChunkSet = {
      key,
      expiresMs: clock.monotonicMs() + lifetimeMs,
      parts: new Array<Uint8Array | undefined>(count).fill(undefined),
      missing: count,
      dataBytes: 0,
      heldBytes: 0,
    };
    this.#open.set(key, set);
    this.#makeRoom();
    this.#schedule(lifetimeMs);
    return set;
  }

  #makeRoom(): void {
    const { sets, bytes } = this.#bounds;
    for (const set of this.#open.values()) {
      if (this.#open.size <= sets && this.#heldBytes <= bytes) return;
      this.#lose(set, 'ingest_incomplete_message');
    }
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer ??= this.#options.clock.after(delayMs, () => {
      this.#cancelTimer = undefined;
      this.#expire();
      for (const { expiresMs } of this.#open.values()) {
        this.#schedule(Math.max(1, expiresMs - this.#options.clock.monotonicMs()));
        return;
      }
    });
  }

  #expire(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const set of this.#open.values()) {
      if (set.expiresMs > nowMs) break;
      this.#lose(set, 'ingest_incomplete_message');
    }
    for (const [key, expiresMs] of this.#closed) {
      if (expiresMs > nowMs) break;
      this.#closed.delete(key);
    }
  }

  #lose(set: ChunkSet, reason: ErrorCode): void {
    this.#close(set);
    this.#options.onLost(reason);
  }

  /** Remembered for another lifetime: chunks that come late must not begin the message again. */
  #close(set: ChunkSet): void {
    this.#open.delete(set.key);
    this.#heldBytes -= set.heldBytes;
    this.#closed.set(set.key, this.#options.clock.monotonicMs() + lifetimeMs);
    if (this.#closed.size <= this.#bounds.closed) return;
    for (const key of this.#closed.keys()) {
      this.#closed.delete(key);
      break;
    }
  }
}
