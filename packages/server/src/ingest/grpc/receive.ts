import type { ServerHttp2Stream } from 'node:http2';
import type { Clock } from '../../base/clock.ts';
import { GrpcError, grpcCode } from './status.ts';
import type { ReceivedMessage, UnaryFrame } from './unary-frame.ts';

export interface ReceiveOptions {
  /** Without any byte of the message. */
  readonly idleTimeoutMs: number;
  /** For the whole message. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * Reads a stream to its end. Undefined when the caller went away or cancelled the call. Rejects with what the frame
 * throws, or DEADLINE_EXCEEDED; the rest of the stream is left unread.
 */
export function receiveMessage(
  stream: ServerHttp2Stream,
  frame: UnaryFrame,
  { idleTimeoutMs, timeoutMs, clock }: ReceiveOptions,
): Promise<ReceivedMessage | undefined> {
  return new Promise((resolve, reject) => {
    const startMs = clock.monotonicMs();
    let lastByteMs = startMs;
    let cancelTimer = (): void => {};
    const checkTime = (): void => {
      const nowMs = clock.monotonicMs();
      const restMs = Math.min(lastByteMs + idleTimeoutMs, startMs + timeoutMs) - nowMs;
      if (restMs > 0) {
        cancelTimer = clock.after(restMs, checkTime);
        return;
      }
      const text = 'the message did not arrive in time';
      settle(() => reject(new GrpcError(grpcCode.deadlineExceeded, 'request_timeout', text)));
    };
    /** Ends the wait when the frame refuses what has arrived. */
    const attempt = (step: () => void): void => {
      try {
        step();
      } catch (error) {
        settle(() => reject(error instanceof Error ? error : new Error(String(error))));
      }
    };
    const onData = (chunk: Uint8Array): void => {
      lastByteMs = clock.monotonicMs();
      attempt(() => frame.push(chunk));
    };
    const onEnd = (): void => {
      attempt(() => {
        const received = frame.finish();
        settle(() => resolve(received));
      });
    };
    const onClose = (): void => settle(() => resolve(undefined));
    const settle = (finish: () => void): void => {
      cancelTimer();
      stream.off('data', onData).off('end', onEnd).off('close', onClose).off('aborted', onClose);
      finish();
    };
    // A reset stream ends as well, after 'aborted'.
    stream.on('aborted', onClose).on('data', onData).on('end', onEnd).on('close', onClose);
    checkTime();
  });
}
