import { randomBytes } from 'node:crypto';
import type { Logger } from '../../base/logger.ts';
import { fingerprintWords } from '../../codec/index.ts';
import type { ClosedSegment } from '../../wal/index.ts';
import { DedupWindow } from './dedup-window.ts';
import {
  equalSeeds,
  listFingerprintFiles,
  loadFingerprints,
  removeUnfinished,
  type FingerprintDirectory,
} from './fingerprint-file.ts';

export interface OpenDedupWindowOptions extends FingerprintDirectory {
  readonly logger: Logger;
  readonly windowEvents: number;
  /** Segments of the log that are not sealed yet. */
  readonly unsealed: readonly ClosedSegment[];
  /** Derives a segment's fingerprints from its `tenant` and `idempotency_key` columns. */
  fingerprintsOf(segment: ClosedSegment, seed: Uint32Array): Promise<Uint32Array>;
  readonly buffer?: ArrayBufferLike;
}

/**
 * The window as it was when the node stopped: the newest fingerprint files and the unsealed segments, in the order the
 * events came in. A damaged file is passed over with a warning; it costs de-duplication of its events, no event.
 */
export async function openDedupWindow(options: OpenDedupWindowOptions): Promise<DedupWindow> {
  const { fileSystem, directory, windowEvents, buffer } = options;
  await fileSystem.mkdir(directory);
  await removeUnfinished(options);
  const files = await listFingerprintFiles(options);
  const seed = (await newestSeed(options, files)) ?? randomSeed();
  const window = new DedupWindow({
    windowEvents,
    seed,
    ...(buffer === undefined ? {} : { buffer }),
  });
  const fileSet = new Set(files);
  const newestFirst: Uint32Array[] = [];
  let missing = window.capacity * fingerprintWords;
  for (const segmentId of segmentIdsNewestFirst(options, files)) {
    if (missing <= 0) break;
    const fingerprints = await fingerprintsUnder(options, segmentId, { files: fileSet, seed });
    newestFirst.push(...fingerprints.toReversed());
    for (const list of fingerprints) missing -= list.length;
  }
  for (const fingerprints of newestFirst.reverse()) {
    for (let at = 0; at < fingerprints.length; at += fingerprintWords) {
      window.insertFingerprint(fingerprints, at);
    }
  }
  return window;
}

function segmentIdsNewestFirst(
  options: OpenDedupWindowOptions,
  files: readonly string[],
): string[] {
  const segmentIds = new Set(files);
  for (const segment of options.unsealed) segmentIds.add(segment.segmentId);
  return [...segmentIds].sort().reverse();
}

/** Of the file and of the segment, where there are both: a merged file holds more than the segment it is named for. */
async function fingerprintsUnder(
  options: OpenDedupWindowOptions,
  segmentId: string,
  known: { readonly files: ReadonlySet<string>; readonly seed: Uint32Array },
): Promise<Uint32Array[]> {
  const { files, seed } = known;
  const lists: Uint32Array[] = [];
  if (files.has(segmentId)) {
    const contents = await loadFingerprints(options, segmentId);
    if (contents !== undefined && equalSeeds(contents.seed, seed))
      lists.push(contents.fingerprints);
    else options.logger.warn({ segmentId }, 'passing over a damaged file of fingerprints');
  }
  const segment = options.unsealed.find((candidate) => candidate.segmentId === segmentId);
  if (segment !== undefined) lists.push(await options.fingerprintsOf(segment, seed));
  return lists;
}

async function newestSeed(
  store: FingerprintDirectory,
  files: readonly string[],
): Promise<Uint32Array | undefined> {
  for (const segmentId of files.toReversed()) {
    const contents = await loadFingerprints(store, segmentId);
    if (contents !== undefined) return contents.seed;
  }
  return undefined;
}

function randomSeed(): Uint32Array {
  const bytes = randomBytes(fingerprintWords * 4);
  return Uint32Array.from({ length: fingerprintWords }, (_, word) => bytes.readUInt32LE(word * 4));
}
