/**
 * What this holds: the fingerprints of sealed segments, `<segmentId>.fp` each, so that the dedup window survives a
 * restart although the segments are gone.
 * Who writes it: the sealer, after a segment's sealed file is durable and before the segment is removed.
 * Ordering: content synced → directory synced → segment removed. No sync on the way of an event.
 * A crash leaves: an unfinished `.tmp` file, removed by the next start while its segment still exists, or some
 *   fingerprints twice, in file and segment or in merged files. That does no harm: the window is a set.
 * Size bound: 16 bytes per event of the window plus one file; `tidyFingerprints` removes and merges the rest.
 */
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { assert } from '../../base/assert.ts';
import type { FileSystem } from '../../base/file-system.ts';
import { fingerprintWords } from '../../codec/index.ts';

const magic = Buffer.from('VARVEDUP', 'latin1');
const formatVersion = 1;
const headerBytes = 48;
const fingerprintBytes = fingerprintWords * 4;
const suffix = '.fp';
const unfinishedSuffix = '.tmp';

/** More files than this are merged; small ones pile up when queries ask for a seal again and again. */
const filesMax = 256;
const mergedMaxEvents = 65_536;

export interface FingerprintDirectory {
  readonly fileSystem: FileSystem;
  readonly directory: string;
}

export interface SegmentFingerprints {
  readonly seed: Uint32Array;
  /** Flat list, oldest first. */
  readonly fingerprints: Uint32Array;
}

/** Segment ids of the files, oldest first. */
export async function listFingerprintFiles(store: FingerprintDirectory): Promise<string[]> {
  const names = await store.fileSystem.readdir(store.directory);
  const files = names.filter((name) => name.endsWith(suffix));
  return files.map((name) => basename(name, suffix)).sort();
}

/** For the start, before the sealer runs: what a crash left of files that were being written. */
export async function removeUnfinished(store: FingerprintDirectory): Promise<void> {
  for (const name of await store.fileSystem.readdir(store.directory)) {
    if (name.endsWith(unfinishedSuffix)) await store.fileSystem.unlink(join(store.directory, name));
  }
}

/**
 * Makes the fingerprints of a segment durable; must be called before the segment is removed. May be repeated. A
 * segment without stable ids gets no file.
 */
export async function saveFingerprints(
  store: FingerprintDirectory,
  segmentId: string,
  contents: SegmentFingerprints,
): Promise<void> {
  if (contents.fingerprints.length === 0) return;
  const temporary = join(store.directory, segmentId + unfinishedSuffix);
  const file = await store.fileSystem.open(temporary, 'replace');
  try {
    await file.write(encode(contents), 0);
    await file.syncData();
  } finally {
    await file.close();
  }
  await store.fileSystem.rename(temporary, pathOf(store, segmentId));
  await store.fileSystem.syncDirectory(store.directory);
}

/** Undefined where the file is incomplete or damaged. */
export async function loadFingerprints(
  store: FingerprintDirectory,
  segmentId: string,
): Promise<SegmentFingerprints | undefined> {
  const file = await store.fileSystem.open(pathOf(store, segmentId), 'read');
  try {
    const bytes = new Uint8Array(await file.size());
    const filled = await file.read(bytes, 0);
    return decode(bytes.subarray(0, filled));
  } finally {
    await file.close();
  }
}

/**
 * Deletes the files that lie wholly outside the newest `keepEvents` and merges small neighbours when there are many.
 * For the sealer, now and then; at any point of it a crash loses nothing of the window.
 */
export async function tidyFingerprints(
  store: FingerprintDirectory,
  keepEvents: number,
): Promise<void> {
  const kept: { readonly segmentId: string; readonly events: number }[] = [];
  let events = 0;
  for (const segmentId of (await listFingerprintFiles(store)).reverse()) {
    if (events >= keepEvents) {
      await store.fileSystem.unlink(pathOf(store, segmentId));
      continue;
    }
    const ofFile = await eventsOf(store, segmentId);
    events += ofFile;
    kept.unshift({ segmentId, events: ofFile });
  }
  if (kept.length > filesMax) await mergeSmall(store, kept);
}

/** Each run of small files becomes one under the name of its newest, in whose place it stands. */
async function mergeSmall(
  store: FingerprintDirectory,
  files: readonly { readonly segmentId: string; readonly events: number }[],
): Promise<void> {
  let run: string[] = [];
  let events = 0;
  for (const file of files) {
    if (events + file.events > mergedMaxEvents) {
      await mergeRun(store, run);
      run = [];
      events = 0;
    }
    run.push(file.segmentId);
    events += file.events;
  }
  await mergeRun(store, run);
}

async function mergeRun(store: FingerprintDirectory, run: readonly string[]): Promise<void> {
  const newest = run.at(-1);
  if (newest === undefined || run.length === 1) return;
  const parts: SegmentFingerprints[] = [];
  for (const segmentId of run) {
    const part = await loadFingerprints(store, segmentId);
    if (part !== undefined) parts.push(part);
  }
  const seed = parts.at(-1)?.seed;
  if (seed === undefined) return;
  const sameSeed = parts.filter((part) => equalSeeds(part.seed, seed));
  const length = sameSeed.reduce((sum, part) => sum + part.fingerprints.length, 0);
  const fingerprints = new Uint32Array(length);
  let at = 0;
  for (const part of sameSeed) {
    fingerprints.set(part.fingerprints, at);
    at += part.fingerprints.length;
  }
  await saveFingerprints(store, newest, { seed, fingerprints });
  for (const segmentId of run.slice(0, -1)) await store.fileSystem.unlink(pathOf(store, segmentId));
}

export function equalSeeds(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((word, index) => word === b[index]);
}

async function eventsOf(store: FingerprintDirectory, segmentId: string): Promise<number> {
  const file = await store.fileSystem.open(pathOf(store, segmentId), 'read');
  try {
    return Math.max(0, Math.floor(((await file.size()) - headerBytes) / fingerprintBytes));
  } finally {
    await file.close();
  }
}

function pathOf(store: FingerprintDirectory, segmentId: string): string {
  return join(store.directory, segmentId + suffix);
}

function encode(contents: SegmentFingerprints): Uint8Array[] {
  const { seed, fingerprints } = contents;
  assert(seed.length === fingerprintWords, 'a seed has four words');
  assert(fingerprints.length % fingerprintWords === 0, 'a fingerprint has four words');
  const body = new Uint8Array(fingerprints.length * 4);
  const bodyView = new DataView(body.buffer);
  fingerprints.forEach((word, index) => bodyView.setUint32(index * 4, word, true));
  const header = new Uint8Array(headerBytes);
  const view = new DataView(header.buffer);
  header.set(magic, 0);
  view.setUint32(8, formatVersion, true);
  view.setUint32(12, fingerprints.length / fingerprintWords, true);
  seed.forEach((word, index) => view.setUint32(16 + index * 4, word, true));
  view.setUint32(40, crc32(body), true);
  view.setUint32(44, crc32(header.subarray(0, 44)), true);
  return [header, body];
}

function decode(bytes: Uint8Array): SegmentFingerprints | undefined {
  if (bytes.byteLength < headerBytes || !magic.equals(bytes.subarray(0, 8))) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(44, true) !== crc32(bytes.subarray(0, 44))) return undefined;
  if (view.getUint32(8, true) !== formatVersion) return undefined;
  const body = bytes.subarray(headerBytes);
  if (body.byteLength !== view.getUint32(12, true) * fingerprintBytes) return undefined;
  if (view.getUint32(40, true) !== crc32(body)) return undefined;
  const wordsAt = (offset: number, count: number): Uint32Array =>
    Uint32Array.from({ length: count }, (_, index) => view.getUint32(offset + index * 4, true));
  return {
    seed: wordsAt(16, fingerprintWords),
    fingerprints: wordsAt(headerBytes, body.byteLength / 4),
  };
}
