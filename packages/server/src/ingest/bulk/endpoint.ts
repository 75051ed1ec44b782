import {
  type HttpEndpoint,
  parseAuthorization,
  type Route,
  type RouteInput,
} from '../http/index.ts';
import { parseBulkPath } from './bulk-path.ts';
import { errorReply } from './error-reply.ts';
import { answerHandshake, type ClusterIdentity, defaultIdentity } from './handshakes.ts';
import { bulkProtocolName } from './protocol.ts';
import { jsonReply, replyHeaders } from './reply-head.ts';

/** Spec section 8: fixed. */
const maxBodyBytes = 100 * 1024 * 1024;

/**
 * The bulk interface on an HTTP listener: events go to the ingest worker, and what clients ask before they send
 * is answered on the spot.
 */
export function createBulkEndpoint(identity: Partial<ClusterIdentity> = {}): HttpEndpoint {
  const cluster = { ...defaultIdentity, ...identity };
  return {
    protocol: { name: bulkProtocolName, replyToError: errorReply },
    route: (input) => eventRoute(input) ?? handshakeRoute(cluster, input),
    secretsOf: ({ headers }) => apiKeySecrets(headers['authorization']),
  };
}

function eventRoute({ method, path, query }: RouteInput): Route | undefined {
  const target = parseBulkPath(path, query);
  if (target === undefined) return undefined;
  const isWrite = method === 'POST' || method === 'PUT';
  return isWrite
    ? { kind: 'ingest', maxBodyBytes }
    : { kind: 'method_not_allowed', allow: ['POST', 'PUT'] };
}

function handshakeRoute(cluster: ClusterIdentity, input: RouteInput): Route | undefined {
  const answer = answerHandshake(cluster, input);
  if (answer === undefined) return undefined;
  if (!('body' in answer)) return { kind: 'method_not_allowed', allow: answer };
  const { status, body } = answer;
  if (typeof body !== 'string') {
    // Load balancers probe the root without credentials.
    const isPublic = input.path === '/';
    return { kind: 'reply', reply: jsonReply(status, body, input), isPublic };
  }
  const headers = { ...replyHeaders(input), 'content-type': 'text/plain; charset=UTF-8' };
  return { kind: 'reply', reply: { status, headers, body } };
}

/** `ApiKey base64(<id>:<key>)`, or the key as it is: the token may be the key, the pair, or the encoded pair. */
function apiKeySecrets(header: string | undefined): readonly string[] {
  const { scheme, value } = parseAuthorization(header);
  if (scheme !== 'apikey') return [];
  const pair = Buffer.from(value, 'base64').toString('utf8');
  return [value, pair, pair.slice(pair.indexOf(':') + 1)];
}
