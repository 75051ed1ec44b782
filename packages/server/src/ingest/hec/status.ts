import { errorCodes } from '@varve/contract';
import { NodeError } from '../../base/errors.ts';
import type { IngestReply } from '../../pipeline/index.ts';

/** The codes of the HTTP Event Collector that this node answers with: HTTP status and text of each. */
const statuses = {
  0: [200, 'Success'],
  2: [401, 'Token is required'],
  3: [401, 'Invalid authorization'],
  4: [403, 'Invalid token'],
  5: [400, 'No data'],
  6: [400, 'Invalid data format'],
  8: [500, 'Internal server error'],
  9: [503, 'Server is busy'],
  10: [400, 'Data channel is missing'],
  11: [400, 'Invalid data channel'],
  12: [400, 'Event field is required'],
  13: [400, 'Event field cannot be blank'],
  14: [400, 'ACK is disabled'],
  15: [400, 'Error in handling indexed fields'],
  16: [400, 'Query string authorization is not enabled'],
  17: [200, 'HEC is healthy'],
  18: [503, 'HEC is unhealthy, queues are full'],
} as const satisfies Record<number, readonly [number, string]>;

export type HecCode = keyof typeof statuses;

const headers = { 'content-type': 'application/json; charset=utf-8' };

function isHecCode(value: unknown): value is HecCode {
  return typeof value === 'number' && Object.hasOwn(statuses, value);
}

/** A refusal with a code of its own. `details` may tell the number of the event, see `withEventNumber`. */
export function hecError(code: HecCode): NodeError {
  const [, text] = statuses[code];
  return new NodeError('ingest_malformed_body', text, { details: { hec_code: code } });
}

/** The same error with the number of the event it is about, counted from 0. */
export function withEventNumber(error: NodeError, eventNumber: number): NodeError {
  return new NodeError(error.code, error.message, {
    details: { ...error.details, event_number: eventNumber },
    cause: error,
  });
}

/** Members beside `text` and `code` follow them. */
export function hecReply(code: HecCode, more: Readonly<Record<string, unknown>> = {}): IngestReply {
  const [status, text] = statuses[code];
  return { status, headers, body: JSON.stringify({ text, code, ...more }) };
}

/** What the codes have no number for: the HTTP status stands in its place, as in Splunk. */
function plainReply(status: number, text: string): IngestReply {
  return { status, headers, body: JSON.stringify({ text, code: status }) };
}

/**
 * `detail` says what the text cannot. Everything that may succeed later is 503: senders drop a batch on any 4xx, even
 * on 429.
 */
export function errorReply(error: NodeError): IngestReply {
  const { status, retryable } = errorCodes[error.code];
  const { hec_code: code, event_number: eventNumber } = error.details;
  const more = {
    ...(typeof eventNumber === 'number' && { 'invalid-event-number': eventNumber }),
    ...(code === undefined && { detail: error.message }),
  };
  if (isHecCode(code)) return hecReply(code, more);
  if (retryable) return hecReply(9, more);
  switch (status) {
    case 400:
      return hecReply(6, more);
    case 404:
      return plainReply(404, 'The requested URL was not found on this server.');
    case 405:
      return plainReply(405, 'The requested method is not allowed for this URL.');
    case 413:
    case 415:
      return plainReply(status, error.message);
    default:
      return hecReply(8);
  }
}
