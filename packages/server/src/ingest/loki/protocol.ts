import type { NodeError } from '../../base/errors.ts';
import { decodeSnappy } from '../../codec/index.ts';
import type { RawEventBuilder } from '../../columns/index.ts';
import type { DecodedRequest, IngestReply, IngestRequest, Protocol } from '../../pipeline/index.ts';
import { bodyTooLarge } from '../http/index.ts';
import { JsonPushDecoder } from './decode-json.ts';
import { ProtobufPushDecoder } from './decode-protobuf.ts';
import { EntryWriter } from './entry-writer.ts';
import { acceptedReply, errorReply, outOfTimeReply } from './reply.ts';

export const lokiProtocolName = 'loki';

export interface LokiProtocolOptions {
  /** Whether entries get a stable id, by which entries that are sent again are stored once. */
  readonly dedup: boolean;
}

/**
 * The push interface of Grafana Loki, both encodings and both formats of the JSON one.
 * Failures: `ingest_malformed_body`, `request_body_too_large` and the caps of the builder.
 */
export function createLokiProtocol(options: LokiProtocolOptions): Protocol {
  return new LokiProtocol(options);
}

class LokiProtocol implements Protocol {
  readonly name = lokiProtocolName;
  readonly #json = new JsonPushDecoder();
  readonly #protobuf = new ProtobufPushDecoder();
  readonly #writer: EntryWriter;

  constructor({ dedup }: LokiProtocolOptions) {
    this.#writer = new EntryWriter({ hasKeys: dedup });
  }

  decode(request: IngestRequest, body: Uint8Array, builder: RawEventBuilder): DecodedRequest {
    const writer = this.#writer;
    const rowsBefore = builder.rows;
    writer.beginRequest(builder);
    if (isJson(request.headers['content-type'], body)) {
      this.#json.decode(body, writer);
    } else {
      this.#protobuf.decode(messageOf(request, body), writer);
    }
    const { received, deduplicated, outOfTime } = writer;
    return {
      received,
      stored: builder.rows - rowsBefore,
      deduplicated,
      rejected: outOfTime === 0 ? {} : { ingest_timestamp_out_of_range: outOfTime },
      reply: () => (outOfTime === 0 ? acceptedReply : outOfTimeReply(outOfTime, received)),
    };
  }

  replyToError(error: NodeError): IngestReply {
    return errorReply(error);
  }
}

/** The protobuf encoding is snappy by itself, whether the sender names that as a content encoding or not. */
function messageOf({ headers, maxBodyBytes }: IngestRequest, body: Uint8Array): Uint8Array {
  if (/snappy/i.test(headers['content-encoding'] ?? '')) return body;
  const message = decodeSnappy(body, maxBodyBytes);
  if (message === undefined) throw bodyTooLarge(maxBodyBytes);
  return message;
}

/** Without a type that tells, an object that begins: no snappy block can begin so. */
function isJson(contentType: string | undefined, body: Uint8Array): boolean {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json' || type.endsWith('+json')) return true;
  if (type === 'application/x-protobuf' || type === 'application/protobuf') return false;
  let first = 0;
  while (first < body.length && body[first]! <= 0x20) first++;
  if (body[first] !== 0x7b) return false;
  const next = body[first + 1];
  return next === 0x22 || next === 0x7d || next === 0x0a || next === 0x0d || next === 0x09;
}
