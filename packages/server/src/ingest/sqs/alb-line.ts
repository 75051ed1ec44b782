import { ByteBuffer, malformedBody, parseTimestamp } from '../../codec/index.ts';
import type { RawEventBuilder } from '../../columns/index.ts';
import type { EntryReader } from './protocol.ts';

const encoder = new TextEncoder();

/** In order (docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html). */
const fieldNames =
  'type time elb client:port target:port request_processing_time target_processing_time response_processing_time elb_status_code target_status_code received_bytes sent_bytes request user_agent ssl_cipher ssl_protocol target_group_arn trace_id domain_name chosen_cert_arn matched_rule_priority request_creation_time actions_executed redirect_url error_reason target:port_list target_status_code_list classification classification_reason conn_trace_id';
const fields = fieldNames.split(' ').map((name) => encoder.encode(name));
const timeField = 1;
const statusField = 8;
/** Fewer are no line of such a log. */
const minFields = 12;

const service = encoder.encode('elasticloadbalancing');
const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
const dash = 0x2d;

/** One line of the access log of an Application Load Balancer. The line is the text, its fields are attributes. */
export class AlbLineReader implements EntryReader {
  readonly #builder: RawEventBuilder;
  readonly #value = new ByteBuffer(256);
  readonly #time = { high: 0, low: 0 };

  constructor(builder: RawEventBuilder) {
    this.#builder = builder;
  }

  /** @throws NodeError `ingest_malformed_body` */
  read(bytes: Uint8Array, start: number, end: number): void {
    const builder = this.#builder;
    builder.setBody(bytes, start, end);
    builder.setService(service, 0, service.length);
    let status = 0;
    let field = 0;
    for (let at = start; at < end; field++) {
      at = this.#readValue(bytes, at, end) + 1;
      const { bytes: value, size } = this.#value;
      if (field === timeField && parseTimestamp(value, 0, size, this.#time)) {
        builder.setTime(this.#time.high, this.#time.low);
      }
      if (field === statusField && size > 0) status = value[0]! - 0x30;
      if (size === 0 || (size === 1 && value[0] === dash)) continue;
      const name = fields[field] ?? encoder.encode(`field_${field + 1}`);
      builder.attribute(name, 0, name.length, value, 0, size);
    }
    if (field < minFields) throw malformedBody('the line is cut', end);
    builder.setSeverity(status === 5 ? 17 : status === 4 ? 13 : 9);
  }

  /** Reads one value without its quotes and escapes; tells where it ends. */
  #readValue(bytes: Uint8Array, start: number, end: number): number {
    const value = this.#value;
    value.clear();
    if (bytes[start] !== quote) {
      const found = bytes.indexOf(space, start);
      const stop = found === -1 || found > end ? end : found;
      value.append(bytes, start, stop);
      return stop;
    }
    let at = start + 1;
    for (; at < end && bytes[at] !== quote; at++) {
      if (bytes[at] !== backslash) {
        value.byte(bytes[at]!);
      } else if (isQuoteEscape(bytes, at)) {
        value.byte(quote);
        at += 3;
      } else {
        at++;
        if (at < end) value.byte(bytes[at]!);
      }
    }
    if (at >= end) throw malformedBody('a quoted field is not closed', start);
    return at + 1;
  }
}

/** `\x22` */
function isQuoteEscape(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 1] === 0x78 && bytes[at + 2] === 0x32 && bytes[at + 3] === 0x32;
}
