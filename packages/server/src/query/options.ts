import { option, type OptionTable } from '../base/option.ts';
import { byteSize, integer, oneOf } from '../base/option-types.ts';

export const queryOptions = {
  'query.max_concurrent': option(integer({ min: 1, max: 256 }), {
    default: 4,
    description: 'Queries that run at once; more wait in a queue.',
  }),
  'query.memory_limit_bytes': option(byteSize({ min: 64 << 20 }), {
    default: '1GiB',
    unit: 'bytes',
    description: 'Memory of the query engine.',
  }),
  'query.queue_timeout_seconds': option(integer({ min: 1, max: 3600 }), {
    default: 30,
    unit: 'seconds',
    description: 'A query that waited longer is refused with 503 and `Retry-After`.',
  }),
  'query.scan_guard': option(oneOf('enforce', 'shadow', 'off'), {
    default: 'enforce',
    description:
      'What happens to a query whose bound exceeds its limit: refused (`enforce`), run and logged (`shadow`), or run (`off`).',
  }),
} as const satisfies OptionTable;
