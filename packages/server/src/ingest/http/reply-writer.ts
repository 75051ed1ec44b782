import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import type { IngestReply } from '../../pipeline/index.ts';

/** An unread body up to this size is read past, so that the connection can be kept. */
const maxSkippedBodyBytes = 1024 * 1024;
/** How much of a larger one is read past before the connection is closed, so that the sender sees the answer. */
const maxLingerBytes = 4 * 1024 * 1024;
const lingerMs = 2000;

function writeHead(response: ServerResponse, reply: IngestReply, isLast: boolean): void {
  const length = typeof reply.body === 'string' ? Buffer.byteLength(reply.body) : reply.body.length;
  response.writeHead(reply.status, {
    ...(reply.status === 204 ? {} : { 'content-length': length }),
    ...reply.headers,
    ...(isLast ? { connection: 'close' } : {}),
  });
}

/** Answers a request whose body has been read. */
export function writeReply(response: ServerResponse, reply: IngestReply, isLast: boolean): void {
  if (response.destroyed) return;
  writeHead(response, reply, isLast);
  response.end(reply.body);
}

export interface EarlyReplyOptions {
  /** The connection is to be closed. */
  readonly isLast: boolean;
  /** The body is wanted, though not its content: the answer comes after it, which some senders depend on. */
  readonly isAfterBody: boolean;
  readonly clock: Clock;
}

/**
 * Answers a request whose body is unread. Closing at once would reset the connection under a sender that is
 * still writing, and it would never see the answer; so a bounded part of the body is read past first.
 */
export function writeEarlyReply(
  exchange: { readonly message: IncomingMessage; readonly response: ServerResponse },
  reply: IngestReply,
  options: EarlyReplyOptions,
): void {
  const { message, response } = exchange;
  const contentLength = Number(message.headers['content-length'] ?? 0);
  const isChunked = message.headers['transfer-encoding'] !== undefined;
  const isWaiting = message.headers.expect !== undefined;
  if (message.complete || (!isChunked && !isWaiting && contentLength <= maxSkippedBodyBytes)) {
    const isEarly = message.complete || !options.isAfterBody;
    if (!isEarly) message.once('end', () => writeReply(response, reply, options.isLast));
    message.resume();
    if (isEarly) writeReply(response, reply, options.isLast);
    return;
  }
  if (response.destroyed) return;
  writeHead(response, reply, true);
  if (reply.body.length > 0) {
    response.write(reply.body);
  } else {
    response.flushHeaders();
  }
  let readBytes = 0;
  const finish = (): void => {
    cancelTimer();
    response.end();
  };
  const cancelTimer = options.clock.after(lingerMs, finish);
  message.on('data', (chunk: Uint8Array) => {
    readBytes += chunk.length;
    if (readBytes > maxLingerBytes) finish();
  });
  message.once('end', finish).once('close', finish).on('error', finish);
  message.resume();
}
