import type { NodeError } from '../../base/errors.ts';
import type { IngestReply } from '../../pipeline/index.ts';
import {
  type HttpEndpoint,
  parseAuthorization,
  type Route,
  type RouteInput,
} from '../http/index.ts';
import { parseHecPath } from './hec-path.ts';
import { hecProtocolName } from './protocol.ts';
import { errorReply, hecReply } from './status.ts';

export interface HecEndpointOptions {
  readonly maxBodyBytes: number;
  /** Whether a token may stand in the query string, where proxies log it. */
  readonly allowsQueryToken: boolean;
  /** What the health path tells. */
  readonly isAccepting: () => boolean;
}

/** Bounds a list of some 100,000 acknowledgement ids. */
const maxAckBodyBytes = 1024 * 1024;

const preflightReply: IngestReply = {
  status: 200,
  headers: { allow: 'POST, OPTIONS' },
  body: '',
};

/** The HTTP Event Collector on a listener. Paths are case-insensitive. */
export function createHecEndpoint(options: HecEndpointOptions): HttpEndpoint {
  return {
    protocol: {
      name: hecProtocolName,
      replyToError: (error, head) => replyToError(error, head, options),
    },
    route: (input) => routeOf(input, options),
    secretsOf: ({ headers, query }) => {
      const { scheme, value } = parseAuthorization(headers['authorization']);
      const own = scheme === 'splunk' ? [value] : [];
      const token = options.allowsQueryToken ? queryToken(query) : undefined;
      return token === undefined ? own : [...own, token];
    },
  };
}

function routeOf({ method, path }: RouteInput, options: HecEndpointOptions): Route | undefined {
  const target = parseHecPath(path);
  if (target === undefined) return undefined;
  if (target === 'health') {
    if (method !== 'GET' && method !== 'HEAD') {
      return { kind: 'method_not_allowed', allow: ['GET', 'HEAD'] };
    }
    return { kind: 'reply', reply: hecReply(options.isAccepting() ? 17 : 18), isPublic: true };
  }
  // The Docker log driver asks so before it starts, without its token.
  if (method === 'OPTIONS') return { kind: 'reply', reply: preflightReply, isPublic: true };
  if (method !== 'POST') return { kind: 'method_not_allowed', allow: ['POST', 'OPTIONS'] };
  return {
    kind: 'ingest',
    maxBodyBytes: target === 'ack' ? maxAckBodyBytes : options.maxBodyBytes,
  };
}

function queryToken(query: string): string | undefined {
  return new URLSearchParams(query).get('token') ?? undefined;
}

function replyToError(
  error: NodeError,
  head: Omit<RouteInput, 'method' | 'path'>,
  { allowsQueryToken }: HecEndpointOptions,
): IngestReply {
  if (error.code !== 'auth_unauthenticated') return errorReply(error);
  const authorization = head.headers['authorization'];
  const hasQueryToken = queryToken(head.query) !== undefined;
  if (authorization === undefined) {
    if (!hasQueryToken) return hecReply(2);
    return hecReply(allowsQueryToken ? 4 : 16);
  }
  const { scheme, value } = parseAuthorization(authorization);
  const isKnown = ['splunk', 'basic', 'bearer'].includes(scheme) && value !== '';
  return hecReply(isKnown ? 4 : 3);
}
