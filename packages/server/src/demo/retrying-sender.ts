import type { Clock } from '../base/clock.ts';
import { DemoError } from './demo-error.ts';

export interface SendReport {
  /** Answers and connection faults after which the same body was sent again. */
  resent: number;
  bytes: number;
}

export interface RetryingSenderOptions {
  readonly url: string;
  readonly contentType: string;
  readonly token: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onWait?: (reason: string, delayMs: number) => void;
}

const retryableStatuses = new Set([429, 502, 503, 504]);
const firstDelayMs = 250;
const lastDelayMs = 10_000;

/**
 * Posts bodies to one listener. A batch that meets back-pressure or a broken connection is sent again unchanged until
 * it is accepted, waiting as long as `Retry-After` says; any other refusal is a `DemoError`.
 */
export class RetryingSender {
  readonly report: SendReport = { resent: 0, bytes: 0 };
  readonly #options: RetryingSenderOptions;

  constructor(options: RetryingSenderOptions) {
    this.#options = options;
  }

  /** Resolves with the answer's text once the listener has taken the batch. */
  async send(body: string): Promise<string> {
    const { clock, signal, onWait } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#post(body);
      if (outcome.accepted) {
        this.report.bytes += body.length;
        return outcome.text;
      }
      const backoffMs = Math.min(lastDelayMs, firstDelayMs * 2 ** Math.min(attempt, 10));
      const delayMs = outcome.retryAfterMs ?? backoffMs;
      this.report.resent++;
      onWait?.(outcome.reason, delayMs);
      await clock.sleep(delayMs, signal);
    }
  }

  async #post(body: string): Promise<Outcome> {
    const { url, contentType, token, signal, clock } = this.#options;
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': contentType,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
      });
      text = await response.text();
    } catch (error) {
      signal.throwIfAborted();
      return { accepted: false, reason: connectionFault(error), retryAfterMs: undefined };
    }
    if (response.ok) return { accepted: true, text };
    if (retryableStatuses.has(response.status)) {
      const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), clock.nowMs());
      return { accepted: false, reason: `the node answered ${response.status}`, retryAfterMs };
    }
    const hint =
      response.status === 401 || response.status === 403 ? '; pass a token with --token' : '';
    throw new DemoError(
      `${url} refused a batch with ${response.status}${hint}: ${text.slice(0, 300)}`,
    );
  }
}

type Outcome =
  | { readonly accepted: true; readonly text: string }
  | {
      readonly accepted: false;
      readonly reason: string;
      readonly retryAfterMs: number | undefined;
    };

/** Seconds or an HTTP date (RFC 9110, section 10.2.3), at most a minute; undefined when absent or unreadable. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const delayMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(delayMs) ? undefined : Math.min(60_000, Math.max(0, delayMs));
}

function connectionFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== ''
    ? error.cause.message
    : error.message;
}
