import type { NodeError } from '../../base/errors.ts';
import type { RawEventBuilder } from '../../columns/index.ts';
import type { DecodedRequest, IngestReply, IngestRequest, Protocol } from '../../pipeline/index.ts';
import { AckChannels } from './ack-channels.ts';
import { EventDecoder } from './decode-events.ts';
import { decodeRaw } from './decode-raw.ts';
import { parseEventDefaults } from './event-defaults.ts';
import { EventWriter } from './event-writer.ts';
import { parseHecPath } from './hec-path.ts';
import { errorReply, hecError, hecReply } from './status.ts';

export const hecProtocolName = 'hec';

export interface HecProtocolOptions {
  /** Whether requests that name a channel get an acknowledgement id. */
  readonly ack: boolean;
  /** Field whose value is a stable id, by which events that are sent again are stored once. */
  readonly idField: string | undefined;
}

const channelPattern = /^[\w.:-]{1,128}$/;
const nothing = { received: 0, stored: 0, deduplicated: 0, rejected: {} } as const;

/** The HTTP Event Collector of Splunk: events, raw lines and indexer acknowledgement. */
export function createHecProtocol(options: HecProtocolOptions): Protocol {
  return new HecProtocol(options);
}

class HecProtocol implements Protocol {
  readonly name = hecProtocolName;
  readonly #hasAck: boolean;
  readonly #idField: Uint8Array | undefined;
  readonly #events = new EventDecoder();
  readonly #acks = new AckChannels();

  constructor({ ack, idField }: HecProtocolOptions) {
    this.#hasAck = ack;
    this.#idField = idField === undefined ? undefined : new TextEncoder().encode(idField);
  }

  decode(request: IngestRequest, body: Uint8Array, builder: RawEventBuilder): DecodedRequest {
    const path = parseHecPath(request.path);
    const channel = channelOf(request);
    if (path === 'ack') {
      const reply = this.#answerAcks(channel, body);
      return { ...nothing, reply: () => reply };
    }
    const rowsBefore = builder.rows;
    const defaults = parseEventDefaults(request.query);
    const writer = new EventWriter({ builder, defaults, idField: this.#idField });
    if (path === 'raw') {
      decodeRaw(body, writer);
    } else {
      this.#events.decode(body, writer);
    }
    return {
      received: writer.received,
      stored: builder.rows - rowsBefore,
      deduplicated: writer.deduplicated,
      rejected: {},
      reply: () => this.#succeed(channel),
    };
  }

  replyToError(error: NodeError): IngestReply {
    return errorReply(error);
  }

  #succeed(channel: string | undefined): IngestReply {
    if (!this.#hasAck || channel === undefined) return hecReply(0);
    return hecReply(0, { ackId: this.#acks.issue(channel) });
  }

  #answerAcks(channel: string | undefined, body: Uint8Array): IngestReply {
    if (!this.#hasAck) throw hecError(14);
    if (channel === undefined) throw hecError(10);
    if (body.length === 0) throw hecError(5);
    const acks = idsOf(body).map((id) => [id, this.#acks.take(channel, id)] as const);
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    return { status: 200, headers, body: JSON.stringify({ acks: Object.fromEntries(acks) }) };
  }
}

/** The channel a request names, of its tenant; undefined for none. */
function channelOf({ headers, query, tenant }: IngestRequest): string | undefined {
  const named = headers['x-splunk-request-channel'] ?? new URLSearchParams(query).get('channel');
  if (named === null || named === undefined || named === '') return undefined;
  if (!channelPattern.test(named)) throw hecError(11);
  return `${tenant}/${named}`;
}

/** `{"acks":[0,1]}` */
function idsOf(body: Uint8Array): readonly number[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw hecError(6);
  }
  const acks: unknown =
    typeof parsed === 'object' && parsed !== null && 'acks' in parsed ? parsed.acks : undefined;
  if (!Array.isArray(acks) || !acks.every(isId)) throw hecError(6);
  return acks;
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
