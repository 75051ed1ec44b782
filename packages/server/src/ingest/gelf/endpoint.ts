import type { HttpEndpoint, Route, RouteInput } from '../http/index.ts';
import { corsHeaders, gelfProtocolName, httpErrorReply } from './protocol.ts';

const path = '/gelf';

const preflight: Route = {
  kind: 'reply',
  isPublic: true,
  reply: {
    status: 200,
    headers: {
      ...corsHeaders,
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers':
        'Authorization, Content-Type, Content-Encoding, X-Scope-OrgID',
      'access-control-max-age': '86400',
    },
    body: '',
  },
};

/** GELF over HTTP: `POST /gelf` with one message or several behind each other. */
export function createGelfEndpoint(maxMessageBytes: number): HttpEndpoint {
  return {
    protocol: { name: gelfProtocolName, replyToError: httpErrorReply },
    route(request: RouteInput): Route | undefined {
      if (request.path !== path) return undefined;
      if (request.method === 'OPTIONS') return preflight;
      if (request.method === 'POST') return { kind: 'ingest', maxBodyBytes: maxMessageBytes };
      return { kind: 'method_not_allowed', allow: ['POST', 'OPTIONS'] };
    },
  };
}
