import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import type { InflightReservation } from './inflight-budget.ts';

export interface BodyReadOptions {
  /** Undefined for a chunked body. */
  readonly contentLength: number | undefined;
  readonly maxBodyBytes: number;
  /** Holds `contentLength` already; a chunked body grows it as it arrives. */
  readonly reservation: InflightReservation;
  readonly idleTimeoutMs: number;
  readonly clock: Clock;
}

export function bodyTooLarge(limitBytes: number): NodeError {
  return new NodeError(
    'request_body_too_large',
    `the request body is larger than ${limitBytes} bytes; send smaller batches`,
    { details: { limit_bytes: limitBytes } },
  );
}

export function tooManyBytesInFlight(limitBytes: number): NodeError {
  return new NodeError('ingest_backpressure', 'too many request bytes are being processed; retry', {
    details: { limit_bytes: limitBytes },
  });
}

/** Where the bytes go: straight to their place when the length is known, else into a list. */
interface BodySink {
  /** An error when the chunk cannot be taken. */
  add(chunk: Uint8Array): NodeError | undefined;
  take(): Uint8Array;
}

function knownLengthSink(contentLength: number): BodySink {
  const body = new Uint8Array(contentLength);
  let size = 0;
  return {
    add(chunk) {
      body.set(chunk, size);
      size += chunk.length;
      return undefined;
    },
    take: () => body,
  };
}

function chunkedSink({ maxBodyBytes, reservation }: BodyReadOptions): BodySink {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    add(chunk) {
      size += chunk.length;
      if (size > maxBodyBytes) return bodyTooLarge(maxBodyBytes);
      if (!reservation.grow(chunk.length)) return tooManyBytesInFlight(reservation.limitBytes);
      chunks.push(chunk);
      return undefined;
    },
    take() {
      const body = new Uint8Array(size);
      let at = 0;
      for (const chunk of chunks) {
        body.set(chunk, at);
        at += chunk.length;
      }
      return body;
    },
  };
}

/**
 * Reads the whole body into one buffer of its own. Undefined when the client went away or sent nothing for the
 * idle time (it is cut off then). Rejects with `request_body_too_large` or `ingest_backpressure`; the rest of
 * the body is left unread.
 */
export function readBody(
  message: IncomingMessage,
  options: BodyReadOptions,
): Promise<Uint8Array | undefined> {
  const sink =
    options.contentLength === undefined
      ? chunkedSink(options)
      : knownLengthSink(options.contentLength);
  return new Promise((resolve, reject) => {
    let lastByteMs = options.clock.monotonicMs();
    let cancelTimer = options.clock.after(options.idleTimeoutMs, checkIdle);
    function checkIdle(): void {
      const restMs = lastByteMs + options.idleTimeoutMs - options.clock.monotonicMs();
      if (restMs <= 0) {
        message.destroy();
      } else {
        cancelTimer = options.clock.after(restMs, checkIdle);
      }
    }
    const onData = (chunk: Uint8Array): void => {
      lastByteMs = options.clock.monotonicMs();
      const error = sink.add(chunk);
      if (error !== undefined) settle(() => reject(error));
    };
    const onEnd = (): void => settle(() => resolve(sink.take()));
    const onClose = (): void => settle(() => resolve(undefined));
    const settle = (finish: () => void): void => {
      cancelTimer();
      message.off('data', onData).off('end', onEnd).off('close', onClose).pause();
      finish();
    };
    message.on('data', onData).on('end', onEnd).on('close', onClose);
    // An aborted message emits an error besides 'close'; the latter is what counts.
    message.on('error', () => {});
  });
}
