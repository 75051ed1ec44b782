import { randomUUID } from 'node:crypto';
import type { SealedFile } from '../lake/index.ts';
import type { PublishIntent } from './publish-intent.ts';

/**
 * A sealed file from this size on goes up as it is; smaller ones are merged and sorted first. Files of a node under
 * load are larger, so that it does not encode its events twice when it has the least time for it.
 */
export const mergeBelowBytes = 2 * 1024 * 1024;

/** Sealed bytes that one merge takes: bounds its memory and its run time. */
export const mergeMaxBytes = 64 * 1024 * 1024;

/**
 * A publish of the oldest sealed files up to `maxBytes`, and of at least one. Every file is in exactly one of the
 * objects.
 */
export function planPublish(
  sealed: readonly SealedFile[],
  options: { readonly maxBytes: number; readonly dataPrefix: string },
): PublishIntent {
  const taken = oldest(sealed, options.maxBytes);
  const large = taken.filter((file) => file.stats.sizeBytes >= mergeBelowBytes);
  const small = taken.filter((file) => file.stats.sizeBytes < mergeBelowBytes);
  const files = [...large.map((file) => [file]), ...mergeGroups(small)].map((sources) => ({
    key: newKey(options.dataPrefix),
    segmentIds: sources.map((file) => file.segmentId),
  }));
  return { commitId: randomUUID(), isCommitted: false, files };
}

/**
 * The same segments under the same commit id, without the merge of one object. All others keep their keys: they may
 * be in the bucket already, and under another key would be left there.
 */
export function splitPublish(
  intent: PublishIntent,
  merge: { readonly key: string; readonly dataPrefix: string },
): PublishIntent {
  const files = intent.files.flatMap((file) =>
    file.key === merge.key
      ? file.segmentIds.map((segmentId) => ({
          key: newKey(merge.dataPrefix),
          segmentIds: [segmentId],
        }))
      : [file],
  );
  return { ...intent, files };
}

export function segmentIdsOf(intent: PublishIntent): readonly string[] {
  return intent.files.flatMap((file) => file.segmentIds);
}

function mergeGroups(sealed: readonly SealedFile[]): SealedFile[][] {
  const groups: SealedFile[][] = [];
  let bytes = mergeMaxBytes;
  for (const file of sealed) {
    bytes += file.stats.sizeBytes;
    if (bytes > mergeMaxBytes) {
      groups.push([]);
      bytes = file.stats.sizeBytes;
    }
    groups.at(-1)?.push(file);
  }
  return groups;
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
