import { isUtf8 } from 'node:buffer';
import { NodeError } from '../../base/errors.ts';
import {
  eventDuplicate,
  eventOutOfTime,
  type RawEventBuilder,
  SharedAttributes,
} from '../../columns/index.ts';
import type { DecodedRequest, IngestReply, IngestRequest, Protocol } from '../../pipeline/index.ts';
import { AlbLineReader } from './alb-line.ts';
import { CloudTrailReader } from './cloud-trail.ts';
import { FlowLogReader } from './flow-log-line.ts';
import { JsonEntryReader, JsonLineReader } from './json-entry.ts';
import { PlainLineReader } from './plain-line.ts';
import { objectProtocolName, readSliceHeaders, type SliceContext } from './slice-headers.ts';

const encoder = new TextEncoder();
const bucketKey = encoder.encode('aws.s3.bucket');
const objectKey = encoder.encode('aws.s3.key');

const lineFeed = 0x0a;
const openBrace = 0x7b;
const closeBracket = 0x5d;

const done: IngestReply = { status: 200, headers: {}, body: '' };

/** Reads one line or value into an event that has begun, and sets what it knows of it. */
export interface EntryReader {
  read(bytes: Uint8Array, start: number, end: number): void;
}

/** Reads the value at the front of a span. */
interface ValueReader extends EntryReader {
  /** Behind the value that was read. */
  readonly end: number;
}

/** Slices of S3 objects as the ingest worker sees them. An entry that breaks a cap is refused alone. */
export function createObjectProtocol(): Protocol {
  const readers = new WeakMap<RawEventBuilder, SliceReader>();
  return {
    name: objectProtocolName,
    decode(request: IngestRequest, body: Uint8Array, builder: RawEventBuilder): DecodedRequest {
      let reader = readers.get(builder);
      if (reader === undefined) {
        reader = new SliceReader(builder);
        readers.set(builder, reader);
      }
      return reader.read(body, readSliceHeaders(request.headers));
    },
    replyToError: () => done,
  };
}

class SliceReader {
  readonly #builder: RawEventBuilder;
  readonly #plain: PlainLineReader;
  readonly #json: JsonEntryReader;
  readonly #jsonLine: JsonLineReader;
  readonly #cloudTrail: CloudTrailReader;
  readonly #alb: AlbLineReader;
  readonly #flowLog: FlowLogReader;
  readonly #shared = new SharedAttributes();
  #source = new Uint8Array(0);
  #idPrefix = new Uint8Array(0);
  #timeNs = 0n;
  #offset = 0;
  #received = 0;
  #deduplicated = 0;
  #rejected: Record<string, number> = {};

  constructor(builder: RawEventBuilder) {
    this.#builder = builder;
    this.#plain = new PlainLineReader(builder);
    this.#json = new JsonEntryReader(builder);
    this.#jsonLine = new JsonLineReader(this.#json);
    this.#cloudTrail = new CloudTrailReader(builder);
    this.#alb = new AlbLineReader(builder);
    this.#flowLog = new FlowLogReader(builder);
  }

  read(slice: Uint8Array, context: SliceContext): DecodedRequest {
    const rows = this.#builder.rows;
    const { bucket, key, objectId, format, modifiedMs, offset } = context;
    this.#source = encoder.encode(bucket);
    this.#idPrefix = encoder.encode(`s3:${objectId}:`);
    this.#timeNs = BigInt(Math.round(modifiedMs)) * 1_000_000n;
    this.#offset = offset;
    this.#received = 0;
    this.#deduplicated = 0;
    this.#rejected = {};
    this.#shared.clear();
    const keyText = encoder.encode(key);
    this.#shared.add(bucketKey, 0, bucketKey.length, this.#source, 0, this.#source.length);
    this.#shared.add(objectKey, 0, objectKey.length, keyText, 0, keyText.length);
    if (format === 'records') this.#readValues(slice, 0, this.#cloudTrail);
    else if (format === 'json' || format === 'json_array') this.#readValues(slice, 0, this.#json);
    else this.#readLines(slice, 0, context);
    const stored = this.#builder.rows - rows;
    const rejected = this.#rejected;
    return {
      received: this.#received,
      stored,
      deduplicated: this.#deduplicated,
      rejected,
      reply: () => done,
    };
  }

  #readLines(
    slice: Uint8Array,
    from: number,
    { format, header }: Pick<SliceContext, 'format' | 'header'>,
  ): void {
    const reader = format === 'alb' ? this.#alb : format === 'flow_log' ? this.#flowLog : undefined;
    const headerBytes = header === undefined ? undefined : encoder.encode(header);
    if (headerBytes !== undefined) this.#flowLog.setHeader(headerBytes);
    const isValid = isUtf8(slice);
    for (let at = from; at < slice.length;) {
      const feed = slice.indexOf(lineFeed, at);
      const start = at;
      const end = trimmedEnd(slice, start, feed === -1 ? slice.length : feed);
      at = feed === -1 ? slice.length : feed + 1;
      if (isBlank(slice, start, end)) continue;
      if (headerBytes !== undefined && isEqual(headerBytes, slice, start, end)) continue;
      const bytes = isValid ? slice : repaired(slice, start, end);
      const span = isValid ? { start, end } : { start: 0, end: bytes.length };
      this.#readLine(reader, { bytes, ...span, offset: this.#offset + start });
    }
  }

  /** A line that its reader does not take is stored as text. */
  #readLine(
    reader: EntryReader | undefined,
    line: { bytes: Uint8Array; start: number; end: number; offset: number },
  ): void {
    const { bytes, start, end } = line;
    const special =
      reader ?? (firstByte(bytes, start, end) === openBrace ? this.#jsonLine : undefined);
    if (special !== undefined && this.#readEntry(special, line)) return;
    this.#readEntry(this.#plain, line);
  }

  /** From the first one that is no JSON on, the rest of the slice is read as lines. */
  #readValues(slice: Uint8Array, from: number, reader: ValueReader): void {
    for (let at = from; at < slice.length;) {
      const byte = slice[at]!;
      // Nothing that follows the array of records is one.
      if (byte === closeBracket && reader === this.#cloudTrail) return;
      // White space, and what stands between elements.
      if (byte <= 0x20 || byte === 0x2c || byte === 0x5b || byte === closeBracket) {
        at++;
        continue;
      }
      const entry = { bytes: slice, start: at, end: slice.length, offset: this.#offset + at };
      if (!this.#readEntry(reader, entry)) {
        this.#readLines(slice, at, { format: 'lines', header: undefined });
        return;
      }
      at = reader.end;
    }
  }

  /** False when the entry is not what the reader takes; it has left nothing then. */
  #readEntry(
    reader: EntryReader,
    {
      bytes,
      start,
      end,
      offset,
    }: { bytes: Uint8Array; start: number; end: number; offset: number },
  ): boolean {
    const builder = this.#builder;
    const row = builder.rows;
    try {
      builder.begin();
      builder.setTimeNs(this.#timeNs);
      builder.setSource(this.#source, 0, this.#source.length);
      const id = encoder.encode(String(offset));
      builder.setIdempotencyKey(this.#idPrefix, id, 0, id.length);
      reader.read(bytes, start, end);
      builder.sharedAttributes(this.#shared);
      const outcome = builder.end();
      this.#received++;
      if (outcome === eventDuplicate) this.#deduplicated++;
      else if (outcome === eventOutOfTime) this.#reject('ingest_timestamp_out_of_range');
    } catch (error) {
      builder.batch.truncate(row);
      if (!(error instanceof NodeError)) throw error;
      if (error.code === 'ingest_malformed_body') return false;
      this.#received++;
      this.#reject(error.code);
    }
    return true;
  }

  #reject(code: string): void {
    this.#rejected[code] = (this.#rejected[code] ?? 0) + 1;
  }
}

function trimmedEnd(bytes: Uint8Array, start: number, end: number): number {
  let last = end;
  while (last > start && bytes[last - 1]! === 0x0d) last--;
  return last;
}

function firstByte(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) if (bytes[at]! > 0x20) return bytes[at]!;
  return -1;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  return firstByte(bytes, start, end) === -1;
}

function isEqual(expected: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  return (
    end - start === expected.length &&
    expected.every((byte, index) => byte === bytes[start + index])
  );
}

/** The span as UTF-8 whatever it holds. */
function repaired(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return encoder.encode(new TextDecoder().decode(bytes.subarray(start, end)));
}
