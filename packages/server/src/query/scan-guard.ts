import { NodeError } from '../base/errors.ts';
import { defaultMaxScanBytes, type ScanGuardMode } from './options.ts';
import type { ScanBound } from './plan/bound.ts';
import type { Suggestion } from './suggestion.ts';

export interface ScanLimit {
  readonly bytes: number;
  readonly seconds?: number;
}

export interface ScanRequest {
  /** Integer ≥ 0; default 100 GiB. */
  readonly maxScanBytes?: number;
  /** Number > 0; default none. */
  readonly maxScanSeconds?: number;
  /** Runs the query although it exceeds the limit. */
  readonly confirm?: boolean;
}

/** Throws `request_malformed` for a limit out of range. */
export function scanLimit(request: ScanRequest): ScanLimit {
  const { maxScanBytes, maxScanSeconds } = request;
  if (maxScanBytes !== undefined && (!Number.isSafeInteger(maxScanBytes) || maxScanBytes < 0)) {
    throw outOfRange('max_scan_bytes', 'must be an integer of 0 or more');
  }
  if (maxScanSeconds !== undefined && !(Number.isFinite(maxScanSeconds) && maxScanSeconds > 0)) {
    throw outOfRange('max_scan_seconds', 'must be a number above 0');
  }
  return {
    bytes: maxScanBytes ?? defaultMaxScanBytes,
    ...(maxScanSeconds === undefined ? {} : { seconds: maxScanSeconds }),
  };
}

const outOfRange = (path: string, message: string): NodeError =>
  new NodeError('request_malformed', 'correct the fields in errors', {
    details: { errors: [{ path, message }] },
  });

export const exceedsLimit = (bound: ScanBound, limit: ScanLimit): boolean =>
  bound.bytes > limit.bytes || (limit.seconds !== undefined && bound.seconds > limit.seconds);

export type GuardVerdict =
  | 'within_limit'
  /** Over the limit, but the caller confirmed. */
  | 'confirmed'
  /** Over the limit, and the guard only watches. */
  | 'shadowed'
  | 'refused';

export function judgeScan(
  bound: ScanBound,
  limit: ScanLimit,
  options: { readonly mode: ScanGuardMode; readonly confirm: boolean },
): GuardVerdict {
  if (options.mode === 'off' || !exceedsLimit(bound, limit)) return 'within_limit';
  if (options.confirm) return 'confirmed';
  return options.mode === 'shadow' ? 'shadowed' : 'refused';
}

/** The bound in the names of the API. */
export const boundDetails = (bound: ScanBound): Readonly<Record<string, unknown>> => ({
  bytes: bound.bytes,
  seconds: roundSeconds(bound.seconds),
  files: bound.files,
  row_groups: bound.rowGroups,
  columns: bound.columns,
});

export const roundSeconds = (seconds: number): number => Math.ceil(seconds * 1e6) / 1e6;

export function scanRefused(
  bound: ScanBound,
  limit: ScanLimit,
  suggestions: readonly Suggestion[],
): NodeError {
  return new NodeError(
    'scan_limit_exceeded',
    'the query could read more than its limit; narrow it, raise the limit, or send confirm: true to run it anyway',
    {
      details: {
        bound: boundDetails(bound),
        limit: { bytes: limit.bytes, seconds: limit.seconds ?? null },
        suggestions,
      },
    },
  );
}
