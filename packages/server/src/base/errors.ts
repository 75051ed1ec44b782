import { errorCodes, type ErrorCode } from '@varve/contract';

export interface NodeErrorOptions {
  /** Safe to show to the caller: field names, limits, identifiers. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** For the log only: paths, upstream messages. */
  readonly internal?: Readonly<Record<string, unknown>>;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/**
 * An expected failure with a code from the one table in `@varve/contract`.
 * Nothing below `ingest/` and `http/` knows a status code; they map `code` at the edge.
 */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly internal: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | undefined;

  /** `message` is one lower-case sentence that says what to do; data goes into `details`. */
  constructor(code: ErrorCode, message: string, options: NodeErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.internal = options.internal ?? {};
    this.retryAfterMs = options.retryAfterMs;
  }

  get isRetryable(): boolean {
    return errorCodes[this.code].retryable;
  }
}
