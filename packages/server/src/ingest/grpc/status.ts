import type { ErrorCode } from '@varve/contract';
import { NodeError } from '../../base/errors.ts';
import {
  bytesField,
  ProtobufReader,
  tagOf,
  varintField,
  wireBytes,
  wireVarint,
} from '../../codec/index.ts';
import type { IngestReply } from '../../pipeline/index.ts';

/** google.rpc.Code */
export const grpcCode = {
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  unimplemented: 12,
  internal: 13,
} as const;

export interface GrpcStatus {
  readonly code: number;
  readonly message: string;
  /** When the call may be sent again. */
  readonly retryAfterMs?: number | undefined;
}

/** A failure for which gRPC prescribes a code that its HTTP status does not tell. */
export class GrpcError extends NodeError {
  readonly grpcCode: number;

  constructor(grpcCode: number, code: ErrorCode, message: string) {
    super(code, message);
    this.grpcCode = grpcCode;
  }
}

const codeTag = tagOf(1, wireVarint);
const messageTag = tagOf(2, wireBytes);

/** The status in an error reply, whose body is a google.rpc.Status. */
export function statusOfReply({ body, headers }: IngestReply): GrpcStatus {
  const reader = new ProtobufReader();
  reader.open(typeof body === 'string' ? Buffer.from(body) : body);
  let code: number = grpcCode.unknown;
  let message = '';
  while (reader.next()) {
    if (reader.tag === codeTag) code = reader.low;
    if (reader.tag === messageTag) {
      message = Buffer.from(reader.bytes.subarray(reader.start, reader.end)).toString('utf8');
    }
  }
  const retryAfter = headers['retry-after'];
  return {
    code,
    message,
    retryAfterMs: retryAfter === undefined ? undefined : Number(retryAfter) * 1000,
  };
}

/** Printable ASCII but `%` stays, other bytes become `%XX` (gRPC over HTTP/2, "Status-Message"). */
function percentEncode(message: string): string {
  let encoded = '';
  for (const byte of Buffer.from(message)) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    encoded += isPlain
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

/** google.rpc.Status with a google.rpc.RetryInfo, without which some senders give the batch up. */
function encodeWithRetryInfo(status: GrpcStatus, retryAfterMs: number): string {
  const seconds = Math.floor(retryAfterMs / 1000);
  const nanos = Math.round(retryAfterMs % 1000) * 1_000_000;
  const delay = bytesField(1, varintField(1, seconds), varintField(2, nanos));
  const typeUrl = bytesField(1, 'type.googleapis.com/google.rpc.RetryInfo');
  const details = bytesField(3, typeUrl, bytesField(2, delay));
  const message = bytesField(2, status.message);
  const bytes = Buffer.concat([varintField(1, status.code), message, details]);
  return bytes.toString('base64').replace(/=+$/, '');
}

/** The trailers that end a call. */
export function trailersOf(status: GrpcStatus): Record<string, string> {
  const { code, message, retryAfterMs } = status;
  const trailers: Record<string, string> = { 'grpc-status': String(code) };
  if (message !== '') trailers['grpc-message'] = percentEncode(message);
  if (retryAfterMs !== undefined) {
    trailers['grpc-status-details-bin'] = encodeWithRetryInfo(status, retryAfterMs);
  }
  return trailers;
}
