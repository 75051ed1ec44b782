import type { HttpEndpoint, Route } from '../http/index.ts';
import { lokiProtocolName } from './protocol.ts';
import { errorReply } from './reply.ts';

const pushPath = /\/(?:loki\/api\/v1|api\/prom)\/push$/;

export interface LokiEndpointOptions {
  readonly maxBodyBytes: number;
}

/** The push interface on a listener: `POST` to `/loki/api/v1/push` or `/api/prom/push`, behind any prefix. */
export function createLokiEndpoint({ maxBodyBytes }: LokiEndpointOptions): HttpEndpoint {
  return {
    protocol: { name: lokiProtocolName, replyToError: errorReply },
    route({ method, path }): Route | undefined {
      if (!pushPath.test(path)) return undefined;
      if (method !== 'POST') return { kind: 'method_not_allowed', allow: ['POST'] };
      return { kind: 'ingest', maxBodyBytes };
    },
  };
}
