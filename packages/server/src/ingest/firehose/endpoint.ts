import { type Clock, systemClock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import type { HttpEndpoint, Route } from '../http/index.ts';
import { firehoseProtocolName } from './protocol.ts';
import { errorReply, requestIdHeader } from './reply.ts';

const accessKeyHeader = 'x-amz-firehose-access-key';
const maxRequestIdChars = 256;

export interface FirehoseEndpointOptions {
  readonly maxBodyBytes: number;
  readonly clock?: Clock;
}

/** HTTP endpoint delivery on a listener: `POST` to any path, since the whole URL is for the operator to choose. */
export function createFirehoseEndpoint(options: FirehoseEndpointOptions): HttpEndpoint {
  const { maxBodyBytes, clock = systemClock } = options;
  return {
    protocol: {
      name: firehoseProtocolName,
      replyToError: (error, { headers }) => errorReply(error, headers, clock),
    },

    route({ method, headers }): Route | undefined {
      if (method === 'GET' || method === 'HEAD') return undefined;
      if (method !== 'POST') return { kind: 'method_not_allowed', allow: ['POST'] };
      const requestId = headers[requestIdHeader] ?? '';
      if (requestId === '' || requestId.length > maxRequestIdChars) {
        const error = new NodeError(
          'request_malformed',
          `send ${requestIdHeader} with at most ${maxRequestIdChars} characters`,
          { details: { header: requestIdHeader } },
        );
        return { kind: 'reply', reply: errorReply(error, headers, clock) };
      }
      return { kind: 'ingest', maxBodyBytes };
    },

    secretsOf({ headers }) {
      const accessKey = headers[accessKeyHeader];
      return accessKey === undefined ? [] : [accessKey];
    },
  };
}
