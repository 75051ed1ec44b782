import { malformedBody, parseTimestamp } from '../../codec/index.ts';
import type { RawEventBuilder } from '../../columns/index.ts';
import type { EntryReader } from './protocol.ts';

const encoder = new TextEncoder();
const service = encoder.encode('vpcflowlogs');
const startName = 'start';
const space = 0x20;
const dash = 0x2d;
const infoSeverity = 9;

/**
 * One line of a VPC flow log, whose first line names its fields. The line is the text, its fields are attributes; `-` is no
 * value.
 */
export class FlowLogReader implements EntryReader {
  readonly #builder: RawEventBuilder;
  readonly #time = { high: 0, low: 0 };
  #names: readonly Uint8Array[] = [];
  #startField = -1;

  constructor(builder: RawEventBuilder) {
    this.#builder = builder;
  }

  setHeader(header: Uint8Array): void {
    const names = new TextDecoder().decode(header).split(' ');
    this.#names = names.map((name) => encoder.encode(name));
    this.#startField = names.indexOf(startName);
  }

  /** @throws NodeError `ingest_malformed_body` when the line has another number of fields than the header */
  read(bytes: Uint8Array, start: number, end: number): void {
    const builder = this.#builder;
    builder.setBody(bytes, start, end);
    builder.setService(service, 0, service.length);
    let field = 0;
    for (let at = start; at < end; field++) {
      const found = bytes.indexOf(space, at);
      const stop = found === -1 || found > end ? end : found;
      const name = this.#names[field];
      if (name === undefined) throw malformedBody('the line has too many fields', at);
      const isAbsent = stop === at || (stop === at + 1 && bytes[at] === dash);
      if (!isAbsent) {
        builder.attribute(name, 0, name.length, bytes, at, stop);
        if (field === this.#startField && parseTimestamp(bytes, at, stop, this.#time)) {
          builder.setTime(this.#time.high, this.#time.low);
        }
      }
      at = stop + 1;
    }
    if (field !== this.#names.length) throw malformedBody('the line has too few fields', end);
    builder.setSeverity(infoSeverity);
  }
}
