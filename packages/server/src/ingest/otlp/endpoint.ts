import type { HttpEndpoint } from '../http/index.ts';
import { logsPath, OtlpProtocol } from './protocol.ts';

/** Spec section 8: fixed. */
const maxBodyBytes = 16 * 1024 * 1024;

/** OTLP/HTTP on a listener: any path that ends in `/v1/logs`, as users configure whole URLs. */
export function createOtlpEndpoint(): HttpEndpoint {
  return {
    protocol: new OtlpProtocol(),
    route({ method, path }) {
      if (!logsPath.test(path)) return undefined;
      if (method !== 'POST') return { kind: 'method_not_allowed', allow: ['POST'] };
      return { kind: 'ingest', maxBodyBytes };
    },
  };
}
