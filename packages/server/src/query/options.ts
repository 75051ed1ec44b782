import { availableParallelism, totalmem } from 'node:os';

export type ScanGuardMode = 'enforce' | 'shadow' | 'off';

export interface QueryOptions {
  /** Queries that run at once; more wait in the queue. */
  readonly max_concurrent: number;
  /** Memory all running queries share. */
  readonly memory_limit_bytes: number;
  /** A query that waited longer is refused with `query_queue_timeout`. */
  readonly queue_timeout_seconds: number;
  /** `shadow` computes and reports every refusal but runs the query. */
  readonly scan_guard: ScanGuardMode;
  readonly threads: number;
}

const gib = 1024 ** 3;

/** Defaults from the machine: a quarter of its memory, at least 512 MiB, and all its cores. */
export function defaultQueryOptions(): QueryOptions {
  const threads = availableParallelism();
  return {
    max_concurrent: Math.max(4, threads),
    memory_limit_bytes: Math.max(gib / 2, Math.floor(totalmem() / 4)),
    queue_timeout_seconds: 30,
    scan_guard: 'enforce',
    threads,
  };
}

/** Spec section 8: most data a query may read unless the request says otherwise. */
export const defaultMaxScanBytes = 100 * gib;
