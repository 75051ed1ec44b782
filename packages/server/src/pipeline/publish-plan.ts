import { randomUUID } from 'node:crypto';
import type { SealedFile } from '../lake/index.ts';
import type { PublishIntent } from './publish-intent.ts';

/** A sealed file from this size on goes up as it is; smaller ones are merged and sorted first. */
const mergeBelowBytes = 8 * 1024 * 1024;

/** A publish of the oldest sealed files up to `maxBytes`, and of at least one. */
export function planPublish(
  sealed: readonly SealedFile[],
  options: { readonly maxBytes: number; readonly dataPrefix: string },
): PublishIntent {
  const taken = oldest(sealed, options.maxBytes);
  const large = taken.filter((file) => file.stats.sizeBytes >= mergeBelowBytes);
  const small = taken.filter((file) => file.stats.sizeBytes < mergeBelowBytes);
  const planned = [...large.map((file) => [file]), ...(small.length > 0 ? [small] : [])];
  const files = planned.map((sources) => ({
    key: newKey(options.dataPrefix),
    segmentIds: sources.map((source) => source.segmentId),
  }));
  return { commitId: randomUUID(), isCommitted: false, files };
}

/** The same segments under the same commit id, without a merge. Files that needed none keep their keys. */
export function splitPublish(intent: PublishIntent, dataPrefix: string): PublishIntent {
  const files = intent.files.flatMap((file) =>
    file.segmentIds.length === 1
      ? [file]
      : file.segmentIds.map((segmentId) => ({ key: newKey(dataPrefix), segmentIds: [segmentId] })),
  );
  return { ...intent, files };
}

export function segmentIdsOf(intent: PublishIntent): readonly string[] {
  return intent.files.flatMap((file) => file.segmentIds);
}

function newKey(dataPrefix: string): string {
  return `${dataPrefix}${randomUUID()}.parquet`;
}

/** Segment ids sort by age. */
function oldest(sealed: readonly SealedFile[], maxBytes: number): SealedFile[] {
  const byAge = sealed.toSorted((a, b) => (a.segmentId < b.segmentId ? -1 : 1));
  let bytes = 0;
  return byAge.filter((file, index) => {
    bytes += file.stats.sizeBytes;
    return index === 0 || bytes <= maxBytes;
  });
}
