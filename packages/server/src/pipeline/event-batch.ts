import {
  type DedupProbe,
  DimensionMapping,
  type DimensionSources,
  encodeRecordBatch,
  type EventLimits,
  RawEventBuilder,
} from '../columns/index.ts';
import type { GroupBatch } from './group-commit.ts';

/** One of the two builders that take turns in `GroupCommit`. */
export class EventBatch implements GroupBatch {
  readonly builder: RawEventBuilder;

  constructor(builder: RawEventBuilder) {
    this.builder = builder;
  }

  get rows(): number {
    return this.builder.rows;
  }

  get sizeBytes(): number {
    return this.builder.batch.sizeBytes;
  }

  truncate(rows: number): void {
    this.builder.batch.truncate(rows);
  }

  takeBatch(): { readonly pieces: readonly Uint8Array[]; readonly rows: number } {
    return { pieces: encodeRecordBatch(this.builder.batch), rows: this.rows };
  }
}

export interface EventBatchOptions {
  readonly limits: EventLimits;
  readonly timestamps: {
    readonly maxFutureSecs: number;
    readonly maxAgeSecs: number | undefined;
    readonly action: 'clamp' | 'reject';
  };
  readonly dimensions: DimensionSources;
}

const nsPerSec = 1_000_000_000n;

/** Both builders of a worker; without `dedup` every event is new. */
export function createEventBatches(
  options: EventBatchOptions,
  dedup: DedupProbe | undefined,
): readonly [EventBatch, EventBatch] {
  const { maxFutureSecs, maxAgeSecs, action } = options.timestamps;
  const dimensions = new DimensionMapping(options.dimensions);
  const create = (): EventBatch =>
    new EventBatch(
      new RawEventBuilder({
        limits: options.limits,
        timestamps: {
          maxFutureNs: BigInt(maxFutureSecs) * nsPerSec,
          maxAgeNs: maxAgeSecs === undefined ? undefined : BigInt(maxAgeSecs) * nsPerSec,
          action,
        },
        dimensions,
        ...(dedup !== undefined && { dedup }),
      }),
    );
  return [create(), create()];
}
