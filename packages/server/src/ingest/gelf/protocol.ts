import { errorCodes } from '@varve/contract';
import { NodeError } from '../../base/errors.ts';
import {
  eventDuplicate,
  type EventOutcome,
  eventOutOfTime,
  type RawEventBuilder,
} from '../../columns/index.ts';
import type { DecodedRequest, IngestReply, IngestRequest, Protocol } from '../../pipeline/index.ts';
import { readFrameList } from './frame-list.ts';
import { inflateMessage } from './message-compression.ts';
import { MessageReader } from './message-reader.ts';

/** One HTTP body of messages. */
export const gelfProtocolName = 'gelf';
/** Many messages of the UDP and TCP listeners, each one a batch of its own. */
export const gelfFramesProtocolName = 'gelf_frames';

export const corsHeaders: Readonly<Record<string, string>> = { 'access-control-allow-origin': '*' };

const accepted: IngestReply = { status: 202, headers: corsHeaders, body: '' };
const noPeer = new Uint8Array(0);

export interface GelfProtocolOptions {
  /** Limit of one message after decompression (spec section 8). */
  readonly maxMessageBytes: number;
  /** Additional field, as sent (`_event_id`) or without its underscore, whose value is a stable id. */
  readonly idField?: string | undefined;
}

/** GELF as the ingest worker sees it: HTTP bodies, and lists of messages from the socket listeners. */
export function createGelfProtocols(options: GelfProtocolOptions): readonly Protocol[] {
  return [new HttpMessages(options), new FramedMessages(options)];
}

class Tally {
  readonly rejected: Record<string, number> = {};
  received = 0;
  deduplicated = 0;

  readonly note = (outcome: EventOutcome): void => {
    this.received++;
    if (outcome === eventDuplicate) this.deduplicated++;
    else if (outcome === eventOutOfTime) this.#reject('ingest_timestamp_out_of_range');
  };

  refuse(code: string): void {
    this.received++;
    this.#reject(code);
  }

  #reject(code: string): void {
    this.rejected[code] = (this.rejected[code] ?? 0) + 1;
  }
}

class Readers {
  readonly #readers = new WeakMap<RawEventBuilder, MessageReader>();
  readonly #idField: string | undefined;

  constructor(options: GelfProtocolOptions) {
    this.#idField = options.idField?.replace(/^_(?=.)/, '');
  }

  of(builder: RawEventBuilder): MessageReader {
    let reader = this.#readers.get(builder);
    if (reader === undefined) {
      reader = new MessageReader({ builder, idField: this.#idField });
      this.#readers.set(builder, reader);
    }
    return reader;
  }
}

function decodedOf(tally: Tally, stored: number): DecodedRequest {
  const { received, deduplicated, rejected } = tally;
  return { received, stored, deduplicated, rejected, reply: () => accepted };
}

/** One body: one message, or several behind each other. It is stored as a whole or not at all. */
class HttpMessages implements Protocol {
  readonly name = gelfProtocolName;
  readonly #readers: Readers;

  constructor(options: GelfProtocolOptions) {
    this.#readers = new Readers(options);
  }

  decode(_request: IngestRequest, body: Uint8Array, builder: RawEventBuilder): DecodedRequest {
    const rows = builder.rows;
    const tally = new Tally();
    this.#readers.of(builder).readAll(body, noPeer, tally.note);
    return decodedOf(tally, builder.rows - rows);
  }

  replyToError(error: NodeError): IngestReply {
    return httpErrorReply(error);
  }
}

/** Nobody waits for an answer, so a message that cannot be taken costs no other one. */
class FramedMessages implements Protocol {
  readonly name = gelfFramesProtocolName;
  readonly #readers: Readers;
  readonly #maxMessageBytes: number;

  constructor(options: GelfProtocolOptions) {
    this.#readers = new Readers(options);
    this.#maxMessageBytes = options.maxMessageBytes;
  }

  decode(_request: IngestRequest, body: Uint8Array, builder: RawEventBuilder): DecodedRequest {
    const rows = builder.rows;
    const tally = new Tally();
    const reader = this.#readers.of(builder);
    for (const { peer, message } of readFrameList(body)) {
      try {
        const text = inflateMessage(message, this.#maxMessageBytes);
        reader.readAll(text, peer, tally.note);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        tally.refuse(error.code);
      }
    }
    return decodedOf(tally, builder.rows - rows);
  }

  replyToError(error: NodeError): IngestReply {
    return httpErrorReply(error);
  }
}

/** Clients look at the status alone. Failures of ours are 503 whatever they are, so that they are retried. */
export function httpErrorReply(error: NodeError): IngestReply {
  const { status } = errorCodes[error.code];
  const headers: Record<string, string> = { ...corsHeaders, 'content-type': 'text/plain' };
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  return { status: status >= 500 ? 503 : status, headers, body: `${error.message}\n` };
}
