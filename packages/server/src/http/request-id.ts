import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Takes over an id that a proxy gave the request when it is short and plain, else makes one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:/+=@-]{1,128}$/.test(given) ? given : randomUUID();
}
