import { NodeError } from '../../base/errors.ts';
import type { DecodedRequest, IngestRequest, Protocol } from '../../pipeline/index.ts';
import { JsonLogsDecoder } from './decode-json.ts';
import { ProtobufLogsDecoder } from './decode-protobuf.ts';
import { RecordWriter } from './record-writer.ts';
import {
  errorReply,
  formatOfContentType,
  jsonFormat,
  protobufFormat,
  type ReplyFormat,
  successReply,
} from './reply.ts';

const logsPath = /(?:^|\/)v1\/logs$/;
const openBrace = 0x7b;

/**
 * OTLP/HTTP logs in both encodings (opentelemetry.io/docs/specs/otlp), at any path that ends in `/v1/logs`.
 * Failures: `request_not_found`, `request_method_not_allowed`, `request_unsupported_media_type`,
 * `ingest_malformed_body` and the caps of the builder.
 */
export const otlpProtocol: Protocol = {
  name: 'otlp',

  decode(request, body, builder): DecodedRequest {
    const format = admit(request, body);
    const rowsBefore = builder.rows;
    const writer = new RecordWriter(builder);
    if (format.encoding === 'json') {
      new JsonLogsDecoder().decode(body, writer);
    } else {
      new ProtobufLogsDecoder().decode(body, writer);
    }
    const { received, deduplicated, outOfTime } = writer;
    return {
      received,
      stored: builder.rows - rowsBefore,
      deduplicated,
      rejected: outOfTime === 0 ? {} : { ingest_timestamp_out_of_range: outOfTime },
      reply: () => successReply(format, partialOf(writer, body.length)),
    };
  },

  replyToError(error, request) {
    return errorReply(formatOfContentType(request.headers['content-type']) ?? jsonFormat, error);
  },
};

/** Whether logs are sent to this path. */
export function isLogsPath(path: string): boolean {
  return logsPath.test(path);
}

export function unsupportedMediaType(contentType: string | undefined): NodeError {
  return new NodeError(
    'request_unsupported_media_type',
    'send application/x-protobuf or application/json',
    { details: { content_type: contentType } },
  );
}

function admit(request: IngestRequest, body: Uint8Array): ReplyFormat {
  if (!isLogsPath(request.path)) {
    throw new NodeError('request_not_found', 'send logs to a path that ends in /v1/logs', {
      details: { path: request.path },
    });
  }
  if (request.method !== 'POST') {
    throw new NodeError('request_method_not_allowed', 'send logs with POST', {
      details: { method: request.method },
    });
  }
  const contentType = request.headers['content-type'];
  const format = formatOfContentType(contentType);
  if (format === null) throw unsupportedMediaType(contentType);
  return format ?? (body[0] === openBrace ? jsonFormat : protobufFormat);
}

function partialOf(
  { received, outOfTime }: RecordWriter,
  bodyBytes: number,
): { rejectedLogRecords: number; errorMessage: string } | undefined {
  if (outOfTime > 0) {
    const errorMessage =
      'events with a time outside the allowed range were not stored; correct the clock of the sender';
    return { rejectedLogRecords: outOfTime, errorMessage };
  }
  if (received > 0 || bodyBytes === 0) return undefined;
  const errorMessage =
    'the body holds no log records; check that the sender exports logs to this path';
  return { rejectedLogRecords: 0, errorMessage };
}
