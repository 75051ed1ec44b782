import { type ErrorCode, errorCodes } from '@varve/contract';
import type { NodeError } from '../../base/errors.ts';
import type { IngestReply } from '../../pipeline/index.ts';
import { jsonReply, type ReplyHead } from './reply-head.ts';

/** Exception names that clients know; what is not listed is an `exception`. */
const typeByCode: Partial<Record<ErrorCode, string>> = {
  request_malformed: 'illegal_argument_exception',
  request_not_found: 'illegal_argument_exception',
  request_method_not_allowed: 'illegal_argument_exception',
  request_body_too_large: 'content_too_long_exception',
  request_unsupported_media_type: 'media_type_header_exception',
  auth_unauthenticated: 'security_exception',
  auth_forbidden: 'security_exception',
  ingest_malformed_body: 'parse_exception',
  ingest_event_too_large: 'illegal_argument_exception',
  ingest_batch_too_large: 'illegal_argument_exception',
  ingest_too_many_attributes: 'illegal_argument_exception',
  ingest_timestamp_out_of_range: 'illegal_argument_exception',
  ingest_backpressure: 'unavailable_exception',
  wal_write_failed: 'unavailable_exception',
  node_not_ready: 'unavailable_exception',
};

export function exceptionType(code: ErrorCode): string {
  return typeByCode[code] ?? 'exception';
}

/** A whole-request failure in the shape that Elasticsearch clients read. */
export function errorReply(error: NodeError, head: ReplyHead): IngestReply {
  const { status } = errorCodes[error.code];
  const cause = { type: exceptionType(error.code), reason: error.message };
  const reply = jsonReply(status, { error: { root_cause: [cause], ...cause }, status }, head);
  if (status !== 401) return reply;
  const challenge = 'Basic realm="varve", Bearer realm="varve", ApiKey';
  return { ...reply, headers: { ...reply.headers, 'www-authenticate': challenge } };
}
