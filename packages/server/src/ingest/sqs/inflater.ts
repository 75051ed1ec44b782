import type { Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { ZstdFrameScanner } from './zstd-frame-scanner.ts';

/**
 * Compressed bytes taken at once. What they become is held in memory, at most about a thousand times as much; and it is
 * lost when the decoder finds a fault among them.
 */
const stepBytes = 2 * 1024;

/** The data ends early or is no such format; everything before has been given out. */
export class DamagedObject extends Error {
  override readonly name = 'DamagedObject';
}

export type Chunks = AsyncIterable<Uint8Array>;

/** What a transform makes of one chunk after another, without losing output to an error that comes later. */
class Inflater {
  readonly #stream: Transform;
  #out: Uint8Array[] = [];
  #failure: Error | undefined;

  constructor(stream: Transform) {
    this.#stream = stream;
    stream.on('data', (chunk: Uint8Array) => this.#out.push(chunk));
    stream.on('error', (error: Error) => (this.#failure = error));
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  async write(chunk: Uint8Array): Promise<readonly Uint8Array[]> {
    await new Promise<void>((resolve) => {
      // The callback of the write that fails is never called.
      const finish = (): void => {
        this.#stream.off('error', finish);
        resolve();
      };
      this.#stream.once('error', finish);
      this.#stream.write(chunk, finish);
    });
    return this.#take();
  }

  async end(): Promise<readonly Uint8Array[]> {
    if (this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#stream.once('end', resolve).once('error', () => resolve());
        this.#stream.end();
      });
    }
    return this.#take();
  }

  destroy(): void {
    this.#stream.destroy();
  }

  #take(): readonly Uint8Array[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}

function* steps(chunk: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < chunk.length; at += stepBytes) yield chunk.subarray(at, at + stepBytes);
}

async function* gunzip(source: Chunks): AsyncGenerator<Uint8Array> {
  const inflater = new Inflater(createGunzip());
  try {
    for await (const chunk of source) {
      for (const step of steps(chunk)) {
        yield* await inflater.write(step);
        if (inflater.failure !== undefined) throw damaged(inflater.failure);
      }
    }
    yield* await inflater.end();
    if (inflater.failure !== undefined) throw damaged(inflater.failure);
  } finally {
    inflater.destroy();
  }
}

/** The native decoder may stop behind the first frame, so that each frame gets one of its own. */
async function* unzstd(source: Chunks): AsyncGenerator<Uint8Array> {
  const scanner = new ZstdFrameScanner();
  let inflater: Inflater | undefined;
  try {
    for await (const chunk of source) {
      for (const step of steps(chunk)) {
        for (let at = 0; at < step.length;) {
          const { end, isFrameEnd, isData } = scanner.next(step, at);
          if (end === -1) throw damaged(new Error('no zstd frame'));
          if (isData) {
            inflater ??= new Inflater(createZstdDecompress());
            yield* await inflater.write(step.subarray(at, end));
          }
          if (isFrameEnd && inflater !== undefined) {
            yield* await inflater.end();
          }
          if (inflater?.failure !== undefined) throw damaged(inflater.failure);
          if (isFrameEnd) {
            inflater?.destroy();
            inflater = undefined;
          }
          at = end;
        }
      }
    }
    if (scanner.isInFrame) throw damaged(new Error('the last zstd frame is cut'));
  } finally {
    inflater?.destroy();
  }
}

function damaged(cause: Error): DamagedObject {
  return new DamagedObject('the object does not decompress', { cause });
}

const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b && head[2] === 8;
const isZstd = (head: Uint8Array): boolean =>
  (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) ||
  // A skippable frame in front.
  ((head[0] ?? 0) >> 4 === 5 && head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18);

/** The content of an object, decompressed by what its first bytes are: metadata and suffixes are often wrong. */
export async function* inflateObject(source: Chunks): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < 4) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    head = head.length === 0 ? value : Buffer.concat([head, value]);
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    if (head.length > 0) yield head;
    for (;;) {
      const { done, value } = await iterator.next();
      if (done === true) return;
      yield value;
    }
  }
  try {
    if (isGzip(head)) yield* gunzip(whole());
    else if (isZstd(head)) yield* unzstd(whole());
    else yield* whole();
  } finally {
    await iterator.return?.();
  }
}
