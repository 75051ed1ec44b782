import { z } from 'zod';
import { DemoError } from './demo-error.ts';

const healthSchema = z.object({
  ingest: z.object({
    listeners: z.array(z.object({ name: z.string(), address: z.string() })),
  }),
});

export interface ListenerUrls {
  readonly otlp: string | undefined;
  readonly bulk: string | undefined;
}

/**
 * Asks a running node where its OTLP/HTTP and `_bulk` listeners are. A listener bound to every interface is
 * reached at the host of the API address.
 */
export async function findListeners(options: {
  readonly url: string;
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}): Promise<ListenerUrls> {
  const { url, token, signal } = options;
  const health = new URL('v1/health', url.endsWith('/') ? url : `${url}/`);
  let response: Response;
  try {
    response = await fetch(health, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
    });
  } catch (cause) {
    signal.throwIfAborted();
    throw new DemoError(
      `no node answers at ${url}; start one with \`varve start\` or name another with --url`,
      { cause },
    );
  }
  if (response.status === 401 || response.status === 403) {
    throw new DemoError(`${url} asks for a token; pass one with --token`);
  }
  if (!response.ok) throw new DemoError(`${health.href} answered ${response.status}`);
  const parsed = healthSchema.safeParse(await response.json().catch(() => undefined));
  if (!parsed.success) throw new DemoError(`${health.href} is not the health of a varve node`);
  const addressOf = (name: string): string | undefined => {
    const listener = parsed.data.ingest.listeners.find((entry) => entry.name === name);
    return listener === undefined ? undefined : listenerUrl(listener.address, health.hostname);
  };
  return { otlp: addressOf('otlp_http'), bulk: addressOf('bulk') };
}

/** `0.0.0.0:4318`, `[::]:4318` and `:4318` are no addresses to connect to. */
export function listenerUrl(address: string, apiHostname: string): string {
  if (/^https?:\/\//.test(address)) return address;
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon);
  const isWildcard =
    host === '' || host === '0.0.0.0' || host === '[::]' || host === '::' || host === '*';
  return `http://${isWildcard ? apiHostname : host}${address.slice(colon)}`;
}
