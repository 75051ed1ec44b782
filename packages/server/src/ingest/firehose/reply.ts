import { errorCodes } from '@varve/contract';
import type { Clock } from '../../base/clock.ts';
import type { NodeError } from '../../base/errors.ts';
import type { IngestReply } from '../../pipeline/index.ts';

export const requestIdHeader = 'x-amz-firehose-request-id';

/** The sender takes no longer text. */
const maxErrorMessageChars = 8192;

type Headers = Readonly<Record<string, string>>;

/** Echoes the request id, without which the sender takes no answer for one, whatever its status. */
function reply(status: number, { headers, clock }: { headers: Headers; clock: Clock }, rest = {}) {
  const body = {
    requestId: headers[requestIdHeader] ?? '',
    timestamp: Math.floor(clock.nowMs()),
    ...rest,
  };
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  } satisfies IngestReply;
}

/** Exactly 200; another success counts as a failure. */
export function acceptedReply(headers: Headers, clock: Clock): IngestReply {
  return reply(200, { headers, clock });
}

/** Failures of ours are 503, though the sender repeats the batch on any status but 200. */
export function errorReply(error: NodeError, headers: Headers, clock: Clock): IngestReply {
  const { status } = errorCodes[error.code];
  const errorMessage = error.message.slice(0, maxErrorMessageChars);
  return reply(status >= 500 ? 503 : status, { headers, clock }, { errorMessage });
}
