import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import { NodeError } from '../base/errors.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Reads certificate and key and checks that they belong together. @throws NodeError `config_invalid` */
export async function readTlsMaterial({ certFile, keyFile }: TlsFiles): Promise<TlsMaterial> {
  try {
    const material = { cert: await readFile(certFile), key: await readFile(keyFile) };
    createSecureContext(material);
    return material;
  } catch (cause) {
    throw new NodeError('config_invalid', 'the files of server.tls cannot be used; see the log', {
      details: { cert_file: certFile, key_file: keyFile },
      internal: { reason: cause instanceof Error ? cause.message : String(cause) },
      cause,
    });
  }
}

/** HTTPS only when there is a certificate: no plaintext fallback (spec section 4). */
export function createServer(material: TlsMaterial | undefined, handler: RequestListener): Server {
  const server =
    material === undefined
      ? createHttpServer(handler)
      : createHttpsServer({ ...material, minVersion: 'TLSv1.2' }, handler);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

/** Longer than the idle timeout of common load balancers (60 s), so that they close first. */
const KEEP_ALIVE_MS = 72_000;
