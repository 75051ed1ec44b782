import { errorCodes } from '@varve/contract';
import type { NodeError } from '../../base/errors.ts';
import { bytesField, varintField } from '../../codec/index.ts';
import type { IngestReply } from '../../pipeline/index.ts';

export type Encoding = 'protobuf' | 'json';

/** How a reply is written: the same way as the request, under the name that the request used. */
export interface ReplyFormat {
  readonly encoding: Encoding;
  readonly contentType: string;
}

const jsonType = 'application/json';
const defaultRetryAfterMs = 2000;

/** google.rpc.Code of each HTTP status that this endpoint answers with. */
const rpcCodeByStatus: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  413: 8,
  415: 3,
  503: 14,
};

export const jsonFormat: ReplyFormat = { encoding: 'json', contentType: jsonType };
export const protobufFormat: ReplyFormat = {
  encoding: 'protobuf',
  contentType: 'application/x-protobuf',
};

/** The format of a Content-Type header; undefined for a missing one, null for one that OTLP does not know. */
export function formatOfContentType(header: string | undefined): ReplyFormat | undefined | null {
  const contentType = header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  switch (contentType) {
    case '':
      return undefined;
    case jsonType:
      return jsonFormat;
    case protobufFormat.contentType:
    case 'application/protobuf':
      return { encoding: 'protobuf', contentType };
    default:
      return null;
  }
}

/** A message with a number in field 1 and a text in field 2, as Status and partial success are. */
function numberAndText(number: number, text: string): Buffer {
  return Buffer.concat([varintField(1, number), bytesField(2, text)]);
}

/** ExportLogsServiceResponse: `partialSuccess` is unset when nothing is to be said. */
export function successReply(
  format: ReplyFormat,
  partial?: { readonly rejectedLogRecords: number; readonly errorMessage: string },
): IngestReply {
  return {
    status: 200,
    headers: { 'content-type': format.contentType },
    body: successBody(format, partial),
  };
}

function successBody(
  { encoding }: ReplyFormat,
  partial: { readonly rejectedLogRecords: number; readonly errorMessage: string } | undefined,
): Uint8Array | string {
  if (encoding === 'protobuf') {
    if (partial === undefined) return new Uint8Array(0);
    return bytesField(1, numberAndText(partial.rejectedLogRecords, partial.errorMessage));
  }
  if (partial === undefined) return '{}';
  const { rejectedLogRecords, errorMessage } = partial;
  // 64-bit integers are strings in this encoding; 0 is the default and left out.
  const rejected =
    rejectedLogRecords === 0 ? {} : { rejectedLogRecords: String(rejectedLogRecords) };
  return JSON.stringify({ partialSuccess: { ...rejected, errorMessage } });
}

/**
 * google.rpc.Status with the HTTP status of the error. Failures of ours are 503 whatever they are: exporters
 * drop the batch on a 500.
 */
export function errorReply(format: ReplyFormat, error: NodeError): IngestReply {
  const { status: ownStatus } = errorCodes[error.code];
  const status = ownStatus >= 500 ? 503 : ownStatus;
  const code = rpcCodeByStatus[status] ?? 2;
  const headers: Record<string, string> = { 'content-type': format.contentType };
  if (status === 503) {
    const seconds = Math.ceil((error.retryAfterMs ?? defaultRetryAfterMs) / 1000);
    headers['retry-after'] = String(Math.max(1, seconds));
  }
  if (status === 405) headers['allow'] = 'POST';
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  const body =
    format.encoding === 'protobuf'
      ? numberAndText(code, error.message)
      : JSON.stringify({ code, message: error.message });
  return { status, headers, body };
}
