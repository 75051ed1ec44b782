import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { type GrpcStatus, trailersOf } from './status.ts';
import { encodeFrame } from './unary-frame.ts';

/** What `grpc-encoding` may say; the names are those of `Content-Encoding` too. */
const encodings: readonly string[] = ['gzip', 'deflate', 'zstd', 'snappy'];
const acceptEncoding = ['identity', ...encodings].join(',');

const replyHeaders = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-accept-encoding': acceptEncoding,
};

export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

/** Whether messages of this `grpc-encoding` can be read. */
export function isKnownEncoding(encoding: string): boolean {
  return encoding === 'identity' || encodings.includes(encoding);
}

export function isGrpcType(contentType: string | undefined): boolean {
  return /^application\/grpc(?:\+proto)?(?:;|$)/.test(contentType ?? '');
}

/** Ends a call without a message. What the caller still sends is not wanted. */
export function endCall(stream: ServerHttp2Stream, status: GrpcStatus): void {
  endStream(stream, { ...replyHeaders, ...trailersOf(status) });
}

/** Ends a call with its reply. */
export function endCallWith(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond(replyHeaders, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(encodeFrame(message));
}

/** Answers a request that is no gRPC call: a probe, a browser. No text: the answer to HEAD. */
export function endRequest(stream: ServerHttp2Stream, status: number, text: string): void {
  const headers = { ':status': status, 'content-type': 'text/plain' };
  if (text === '') {
    endStream(stream, headers);
    return;
  }
  if (stream.destroyed || stream.closed) return;
  stream.respond(headers);
  stream.end(text);
  stopReading(stream);
}

function endStream(stream: ServerHttp2Stream, headers: Record<string, string | number>): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond(headers, { endStream: true });
  stopReading(stream);
}

function stopReading(stream: ServerHttp2Stream): void {
  if (stream.readableEnded) return;
  // Reading on keeps the answer from waiting behind bytes that nobody takes.
  stream.resume();
  stream.close(constants.NGHTTP2_NO_ERROR);
}
