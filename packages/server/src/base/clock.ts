/** Time as modules with timing rules see it; tests pass a simulated one. */
export interface Clock {
  /** Milliseconds since the epoch, may jump. */
  nowMs(): number;
  /** Monotonic milliseconds, for durations. */
  monotonicMs(): number;
  /** Calls back once after `delayMs`; the returned function cancels. Does not keep the process alive. */
  after(delayMs: number, callback: () => void): () => void;
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
  sleep(delayMs, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, delayMs);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  },
};
