import { byteSize, integer } from '../base/option-types.ts';
import { option, type OptionTable } from '../base/option.ts';

export const pipelineOptions = {
  'storage.seal_interval_ms': option(integer({ min: 10, max: 3_600_000 }), {
    default: 1000,
    unit: 'milliseconds',
    description:
      'Longest time an open log segment waits before it becomes a sealed Parquet file. A query does not wait for it.',
  }),
  'storage.publish_interval_seconds': option(integer({ min: 1, max: 86_400 }), {
    default: 60,
    unit: 'seconds',
    description: 'Longest time a sealed file waits before it is published to the bucket.',
  }),
  'storage.publish_bytes': option(byteSize({ min: 1 << 20 }), {
    default: '128MiB',
    unit: 'bytes',
    description:
      'Size of the sealed files that publishes them before `storage.publish_interval_seconds` has passed.',
  }),
} as const satisfies OptionTable;
