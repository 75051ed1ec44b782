import { availableParallelism, totalmem } from 'node:os';
import { byteSize, integer, oneOf } from '../base/option-types.ts';
import { option, optionalOption, type OptionTable } from '../base/option.ts';

export const queryOptions = {
  'query.max_concurrent': optionalOption(integer({ min: 1, max: 256 }), {
    absent: 'the number of cores, at least 4',
    description: 'Queries that run at once; more wait in a queue.',
  }),
  'query.memory_limit_bytes': optionalOption(byteSize({ min: 64 << 20 }), {
    absent: 'a quarter of the memory of the machine, at least 512 MiB',
    unit: 'bytes',
    description: 'Memory that all running queries share; beyond it they spill to disk.',
  }),
  'query.queue_timeout_seconds': option(integer({ min: 1, max: 3600 }), {
    default: 30,
    unit: 'seconds',
    description: 'A query that waited longer is refused with 503 and `Retry-After`.',
  }),
  'query.max_seconds': optionalOption(integer({ min: 1 }), {
    absent: 'no limit of its own',
    unit: 'seconds',
    description:
      'A query that runs longer is stopped, also one that its caller confirmed although its bound exceeds the limit.',
  }),
  'query.scan_guard': option(oneOf('enforce', 'shadow', 'off'), {
    default: 'enforce',
    description:
      'What happens to a query whose bound exceeds its limit: refused (`enforce`), run and logged (`shadow`), or run (`off`).',
  }),
} as const satisfies OptionTable;

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
