import { errorCodes } from '@varve/contract';
import type { NodeError } from '../../base/errors.ts';
import type { IngestReply } from '../../pipeline/index.ts';

const headers = { 'content-type': 'text/plain; charset=utf-8' };

/** Senders tell success by this status alone, and some by no other. */
export const acceptedReply: IngestReply = { status: 204, headers: {}, body: '' };

/** Some events are stored and others never will be: senders drop the batch on a 400, and nothing is repeated. */
export function outOfTimeReply(count: number, received: number): IngestReply {
  const body =
    `${count} of ${received} entries were not stored: their time is outside the allowed range; ` +
    'correct the clock of the sender\n';
  return { status: 400, headers, body };
}

/**
 * Plain text, of which senders log the first line. Failures of ours are 503, which all of them repeat; a request that
 * can never be taken is 400, because some repeat every other status for ever.
 */
export function errorReply(error: NodeError): IngestReply {
  const { status } = errorCodes[error.code];
  return {
    status: status >= 500 ? 503 : status === 415 ? 400 : status,
    headers: status === 401 ? { ...headers, 'www-authenticate': 'Basic realm="loki"' } : headers,
    body: `${error.message}\n`,
  };
}
