/**
 * What changes in a prepared request each time it is sent: event times, trace ids and the request id inside the
 * message. Without it a pool of prepared requests would repeat itself, and every column would compress as it never
 * does in life; with it the generator still spends next to nothing on an event.
 */
import type { Random } from './random.ts';

/** Byte offsets inside the request, one entry for each event. */
export interface StampOffsets {
  readonly times: readonly number[];
  readonly traceIds: readonly number[];
  readonly requestIds: readonly number[];
}

/** How a protocol writes times and trace ids. */
export interface StampForm {
  readonly time: 'fixed64' | 'nanoseconds' | 'iso';
  readonly traceId: 'bytes' | 'hex';
}

export const traceIdBytes = 16;
export const requestIdDigits = 8;
/** Decimal nanoseconds since 1970 have this many digits from 2001 to 2286. */
export const nanosecondDigits = 19;

/** Events of a batch are spread over the time a collector would have gathered them. */
const batchSpanNs = 50_000_000;
/** Events that belong to one trace. */
const eventsPerTrace = 3;

const hexDigits = new TextEncoder().encode('0123456789abcdef');

export class Stamper {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #offsets: StampOffsets;
  readonly #form: StampForm;
  readonly #traces: Uint8Array;
  readonly #traceView: DataView;
  readonly #traceHex: Uint8Array;
  readonly #traceCount: number;

  constructor(bytes: Uint8Array, offsets: StampOffsets, form: StampForm) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#offsets = offsets;
    this.#form = form;
    this.#traceCount = Math.ceil(offsets.times.length / eventsPerTrace);
    this.#traces = new Uint8Array(this.#traceCount * traceIdBytes);
    this.#traceView = new DataView(this.#traces.buffer);
    this.#traceHex = new Uint8Array(this.#traces.length * 2);
  }

  /** Makes the request another one: events of the last moments before `nowMs`, traces never seen before. */
  stamp(nowMs: number, random: Random): void {
    this.#newTraces(random);
    this.#stampTimes(nowMs, random);
    this.#stampIds();
  }

  #stampTimes(nowMs: number, random: Random): void {
    const { times } = this.#offsets;
    const firstNs = BigInt(Math.floor(nowMs)) * 1_000_000n - BigInt(batchSpanNs);
    const stepNs = Math.floor(batchSpanNs / times.length);
    const clock = new ClockHand(firstNs);
    for (const offset of times) {
      // Jitter below the step keeps the order of the batch.
      const jitterNs = random.below(stepNs);
      clock.advance(jitterNs);
      this.#writeTime(offset, clock);
      clock.advance(stepNs - jitterNs);
    }
  }

  #writeTime(offset: number, clock: ClockHand): void {
    switch (this.#form.time) {
      case 'fixed64':
        this.#view.setUint32(offset, clock.low, true);
        this.#view.setUint32(offset + 4, clock.high, true);
        break;
      case 'nanoseconds':
        this.#writeDigits(offset, 10, clock.seconds);
        this.#writeDigits(offset + 10, 9, clock.nanos);
        break;
      case 'iso':
        this.#bytes.set(clock.isoSeconds, offset);
        this.#writeDigits(offset + clock.isoSeconds.length + 1, 9, clock.nanos);
        break;
    }
  }

  #writeDigits(offset: number, count: number, value: number): void {
    let rest = value;
    for (let at = offset + count - 1; at >= offset; at--) {
      const next = Math.floor(rest / 10);
      this.#bytes[at] = 48 + rest - next * 10;
      rest = next;
    }
  }

  #stampIds(): void {
    const { traceIds, requestIds } = this.#offsets;
    const isHex = this.#form.traceId === 'hex';
    const traceId = isHex ? this.#traceHex : this.#traces;
    const traceIdLength = isHex ? traceIdBytes * 2 : traceIdBytes;
    // The events of a trace lie far apart in the batch, as those of different services do.
    let trace = 0;
    for (const offset of traceIds) {
      copyInto(this.#bytes, offset, traceId, {
        start: trace * traceIdLength,
        length: traceIdLength,
      });
      trace = trace + 1 === this.#traceCount ? 0 : trace + 1;
    }
    trace = 0;
    for (const offset of requestIds) {
      const start = trace * traceIdBytes * 2;
      copyInto(this.#bytes, offset, this.#traceHex, { start, length: requestIdDigits });
      trace = trace + 1 === this.#traceCount ? 0 : trace + 1;
    }
  }

  #newTraces(random: Random): void {
    for (let at = 0; at < this.#traces.length; at += 4) {
      this.#traceView.setUint32(at, random.uint32(), true);
    }
    let at = 0;
    for (const byte of this.#traces) {
      this.#traceHex[at++] = hexDigits[byte >> 4] ?? 0;
      this.#traceHex[at++] = hexDigits[byte & 15] ?? 0;
    }
  }
}

function copyInto(
  target: Uint8Array,
  offset: number,
  source: Uint8Array,
  span: { start: number; length: number },
): void {
  for (let index = 0; index < span.length; index++) {
    target[offset + index] = source[span.start + index] ?? 0;
  }
}

/** A moment in all the forms that protocols write. */
class ClockHand {
  low: number;
  high: number;
  seconds: number;
  nanos: number;
  isoSeconds: Uint8Array;

  constructor(ns: bigint) {
    this.low = Number(ns & 0xffff_ffffn);
    this.high = Number(ns >> 32n);
    this.seconds = Number(ns / 1_000_000_000n);
    this.nanos = Number(ns % 1_000_000_000n);
    this.isoSeconds = isoOf(this.seconds);
  }

  /** By less than a second. */
  advance(ns: number): void {
    this.low += ns;
    if (this.low >= 0x1_0000_0000) {
      this.low -= 0x1_0000_0000;
      this.high += 1;
    }
    this.nanos += ns;
    if (this.nanos < 1_000_000_000) return;
    this.nanos -= 1_000_000_000;
    this.seconds += 1;
    this.isoSeconds = isoOf(this.seconds);
  }
}

function isoOf(seconds: number): Uint8Array {
  return new TextEncoder().encode(new Date(seconds * 1000).toISOString().slice(0, 19));
}
