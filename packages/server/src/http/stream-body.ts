import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { FastifyReply } from 'fastify';

/** A client that takes no byte for this long is taken for gone, though its connection stands. */
export const defaultStallMs = 60_000;

/**
 * Streams a body with back-pressure, for as long as the client takes something of it. A failure before the first chunk rejects, so it becomes a proper
 * error answer. After a later one the connection is cut, so that a truncated body cannot pass for a
 * whole one, and the promise resolves with the failure. The iterator is always closed.
 */
export async function streamBody(
  reply: FastifyReply,
  stream: AsyncIterable<Uint8Array>,
  options: { readonly signal: AbortSignal; readonly stallMs: number },
): Promise<CutBody | undefined> {
  const { signal } = options;
  const chunks = stream[Symbol.asyncIterator]();
  try {
    let next = await chunks.next();
    signal.throwIfAborted();
    const response = takeOver(reply);
    try {
      while (next.done !== true) {
        if (!response.write(next.value)) await drained(response, options);
        next = await chunks.next();
        signal.throwIfAborted();
      }
      response.end();
      return undefined;
    } catch (cause) {
      cut(response);
      return { cause };
    }
  } finally {
    await chunks.return?.();
  }
}

/** The timeout of the socket starts over with every byte the client takes, also within one write. */
async function drained(
  response: ServerResponse,
  { signal, stallMs }: { readonly signal: AbortSignal; readonly stallMs: number },
): Promise<void> {
  const stalled = new AbortController();
  const onTimeout = (): void =>
    stalled.abort(new Error(`the client took no byte for ${stallMs / 1000} s`));
  response.setTimeout(stallMs, onTimeout);
  try {
    await once(response, 'drain', { signal: AbortSignal.any([signal, stalled.signal]) });
  } catch (error) {
    throw stalled.signal.aborted ? stalled.signal.reason : error;
  } finally {
    response.off('timeout', onTimeout);
    response.setTimeout(0);
  }
}

/** A body that failed after it began; nothing can be answered any more. */
export interface CutBody {
  readonly cause: unknown;
}

/** From here on the answer is written past the framework, with the headers it collected. */
function takeOver(reply: FastifyReply): ServerResponse {
  const headers = reply.getHeaders();
  reply.hijack();
  const response = reply.raw;
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) response.setHeader(name, value);
  }
  response.writeHead(reply.statusCode);
  return response;
}

/** A reset where the transport has one: a plain close would end an HTTP/1.0 body cleanly. */
function cut(response: ServerResponse): void {
  const { socket } = response;
  if (socket instanceof Socket && !(socket instanceof TLSSocket)) socket.resetAndDestroy();
  else response.destroy();
}
