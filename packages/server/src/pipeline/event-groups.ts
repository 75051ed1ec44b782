import {
  type DedupProbe,
  DimensionMapping,
  type DimensionSources,
  type EventLimits,
  RawEventBuilder,
} from '../columns/index.ts';
import { RawEventGroup } from './raw-event-group.ts';

/** How events are built, as the configuration has it; plain data. */
export interface EventBuilderOptions {
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
export function createEventGroups(
  options: EventBuilderOptions,
  dedup: DedupProbe | undefined,
): readonly [RawEventGroup, RawEventGroup] {
  const { maxFutureSecs, maxAgeSecs, action } = options.timestamps;
  const dimensions = new DimensionMapping(options.dimensions);
  const create = (): RawEventGroup =>
    new RawEventGroup(
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
