import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { minTlsVersion, type TlsMaterial } from '../base/tls-material.ts';

/** HTTPS only when there is a certificate: no plaintext fallback (spec section 4). */
export function createServer(material: TlsMaterial | undefined, handler: RequestListener): Server {
  const server =
    material === undefined
      ? createHttpServer(handler)
      : createHttpsServer({ ...material, minVersion: minTlsVersion }, handler);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

/** Longer than the idle timeout of common load balancers (60 s), so that they close first. */
const KEEP_ALIVE_MS = 72_000;
