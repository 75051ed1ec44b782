import { liveFiles, type ManifestRow } from './manifest-list.ts';

/** Manifests of a tier are merged when this many are there, and a tier holds this many times the last one's. */
const FAN_IN = 32;
/** Larger manifests are not worth rewriting. */
const MERGED_MAX_BYTES = 8 * 1024 * 1024;

/**
 * The manifests that an append folds into its own. Two tiers by live files (under 32, under 1024) bound both
 * the number of manifests and how often an entry is rewritten on its way up: twice.
 */
export function rowsToMerge(rows: readonly ManifestRow[], addedFiles: number): ManifestRow[] {
  const mergeable = rows.filter((row) => row.length < MERGED_MAX_BYTES);
  const small = mergeable.filter((row) => liveFiles(row) < FAN_IN);
  if (small.length + 1 < FAN_IN) return [];
  const mergedFiles = small.reduce((sum, row) => sum + liveFiles(row), addedFiles);
  const medium = mergeable.filter((row) => {
    const files = liveFiles(row);
    return files >= FAN_IN && files < FAN_IN * FAN_IN;
  });
  const isMediumFull = mergedFiles >= FAN_IN && medium.length + 1 >= FAN_IN;
  return isMediumFull ? [...small, ...medium] : small;
}
