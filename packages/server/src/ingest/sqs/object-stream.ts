import { JsonCuts, lineCuts } from './cut-finder.ts';
import { type Chunks, DamagedObject, inflateObject } from './inflater.ts';
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

export interface FormattedSlice extends Slice, Omit<DetectedFormat, 'prefixBytes'> {}

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
    let opened: OpenedContent | undefined;
    let head: Uint8Array = new Uint8Array(0);
    let damage: DamagedObject | undefined;
    try {
      for await (const chunk of this.#bounded(inflateObject(source))) {
        if (opened !== undefined) {
          yield* this.#slices(opened, opened.slicer.add(chunk));
          continue;
        }
        head = Buffer.concat([head, chunk]);
        if (head.length <= headBytes) continue;
        opened = this.#open(head, false);
        yield* this.#slices(opened, opened.slicer.add(head.subarray(opened.prefixBytes)));
      }
    } catch (error) {
      // After any other fault the rest may come with another try, under the offset of what would be stored now.
      if (!(error instanceof DamagedObject)) throw error;
      damage = error;
    }
    if (opened === undefined) {
      opened = this.#open(head, true);
      yield* this.#slices(opened, opened.slicer.add(head.subarray(opened.prefixBytes)));
    }
    yield* this.#slices(opened, opened.slicer.end());
    if (damage !== undefined) throw damage;
  }

  async *#bounded(content: Chunks): AsyncGenerator<Uint8Array> {
    const { maxBytes } = this.#options;
    let size = 0;
    for await (const chunk of content) {
      size += chunk.length;
      if (size > maxBytes) {
        throw new RefusedObject(
          'request_body_too_large',
          `the content is larger than ${maxBytes} bytes`,
        );
      }
      yield chunk;
    }
  }

  #open(head: Uint8Array, isWhole: boolean): OpenedContent {
    const { format, header, prefixBytes } = detectFormat(head.subarray(0, headBytes), isWhole);
    if (format === 'unsupported') {
      throw new RefusedObject(
        'request_unsupported_media_type',
        'the content is a column file; have the logs written as text',
      );
    }
    const finder = finderOf(format);
    const slicer = new EntrySlicer({ ...this.#options, finder, offset: prefixBytes });
    return { format, header, prefixBytes, slicer };
  }

  #slices(opened: OpenedContent, slices: readonly Slice[]): readonly FormattedSlice[] {
    const { format, header, slicer } = opened;
    this.tooLong = slicer.tooLong;
    return slices.map((slice) => ({ ...slice, format, header }));
  }
}

interface OpenedContent extends DetectedFormat {
  readonly slicer: EntrySlicer;
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
