import { JsonCuts, lineCuts } from './cut-finder.ts';
import type { Chunks } from './inflater.ts';
import { inflateObject } from './inflater.ts';
import {
  type DetectedFormat,
  detectFormat,
  headBytes,
  type ObjectFormat,
} from './object-format.ts';
import { type CutFinder, EntrySlicer, type Slice } from './slicer.ts';

export interface ObjectStreamOptions {
  readonly maxBytes: number;
  readonly maxEntryBytes: number;
  /** Tests take smaller ones. */
  readonly sliceBytes?: number;
}

export interface FormattedSlice extends Slice, DetectedFormat {}

/** The decompressed content is larger than it may be, or of a format that is not read. */
export class RefusedObject extends Error {
  override readonly name = 'RefusedObject';
  readonly code: 'request_body_too_large' | 'request_unsupported_media_type';

  constructor(code: RefusedObject['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The content of an object as slices of whole entries, in order. Holds one slice and what of the stream was read ahead.
 * @throws RefusedObject, DamagedObject, and whatever the source throws; slices before the fault have been given out
 */
export class ObjectStream {
  readonly #options: ObjectStreamOptions;
  /** Entries left out because they are too long. */
  tooLong = 0;

  constructor(options: ObjectStreamOptions) {
    this.#options = options;
  }

  async *read(source: Chunks): AsyncGenerator<FormattedSlice> {
    const { maxBytes } = this.#options;
    let head: Buffer | undefined = Buffer.alloc(0);
    let opened: { readonly detected: DetectedFormat; readonly slicer: EntrySlicer } | undefined;
    let failure: unknown;
    let size = 0;
    const content = inflateObject(source)[Symbol.asyncIterator]();
    for (;;) {
      let chunk: Uint8Array | undefined;
      try {
        const { done, value } = await content.next();
        chunk = done === true ? undefined : value;
      } catch (error) {
        // What came before the fault is whole and is stored.
        failure = error;
      }
      size += chunk?.length ?? 0;
      if (size > maxBytes) {
        await content.return(undefined);
        failure = new RefusedObject(
          'request_body_too_large',
          `the content is larger than ${maxBytes} bytes`,
        );
        chunk = undefined;
      }
      if (head !== undefined) {
        head = Buffer.concat([head, chunk ?? Buffer.alloc(0)]);
        if (chunk !== undefined && head.length < headBytes) continue;
        opened = this.#open(head, chunk === undefined);
        yield* this.#slices(opened, opened.slicer.add(head.subarray(opened.detected.prefixBytes)));
        head = undefined;
      } else if (chunk !== undefined && opened !== undefined) {
        yield* this.#slices(opened, opened.slicer.add(chunk));
      }
      if (chunk === undefined) break;
    }
    if (opened !== undefined) yield* this.#slices(opened, opened.slicer.end());
    if (failure !== undefined) throw failure;
  }

  #open(head: Uint8Array, isWhole: boolean): { detected: DetectedFormat; slicer: EntrySlicer } {
    const detected = detectFormat(head.subarray(0, headBytes), isWhole && head.length <= headBytes);
    const { format, prefixBytes } = detected;
    if (format === 'unsupported') {
      throw new RefusedObject(
        'request_unsupported_media_type',
        'the content is a column file; have the logs written as text',
      );
    }
    return {
      detected,
      slicer: new EntrySlicer({ ...this.#options, finder: finderOf(format), offset: prefixBytes }),
    };
  }

  #slices(
    { detected, slicer }: { detected: DetectedFormat; slicer: EntrySlicer },
    slices: readonly Slice[],
  ): readonly FormattedSlice[] {
    this.tooLong = slicer.tooLong;
    return slices.map((slice) => ({ ...slice, ...detected }));
  }
}

function finderOf(format: ObjectFormat): CutFinder {
  switch (format) {
    case 'json':
    case 'records':
      return new JsonCuts(0);
    case 'json_array':
      return new JsonCuts(1);
    default:
      return lineCuts;
  }
}
