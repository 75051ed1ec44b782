import { describe, expect, test } from 'vitest';
import { FaultyFileSystem } from '../../../test/fixture/faulty-file-system.ts';
import { silentLogger } from '../../base/logger.ts';
import {
  listFingerprintFiles,
  loadFingerprints,
  saveFingerprints,
  tidyFingerprints,
} from './fingerprint-file.ts';
import { openDedupWindow } from './open-dedup-window.ts';

const seed = Uint32Array.of(5, 6, 7, 8);

function segmentIdOf(sequence: number): string {
  return `${String(sequence).padStart(12, '0')}-00000000000000aa`;
}

/** `count` fingerprints that are unlike those of any other sequence. */
function fingerprintsFor(sequence: number, count: number): Uint32Array {
  return Uint32Array.from({ length: 4 * count }, (_, at) =>
    at % 4 === 0 ? Math.imul(sequence * 4096 + at, 0x9e3779b1) : sequence,
  );
}

async function setup(): Promise<{ fileSystem: FaultyFileSystem; directory: string }> {
  const fileSystem = new FaultyFileSystem();
  await fileSystem.mkdir('/data/dedup');
  return { fileSystem, directory: '/data/dedup' };
}

function openWindow(
  store: { fileSystem: FaultyFileSystem; directory: string },
  windowEvents = 1000,
) {
  return openDedupWindow({
    ...store,
    logger: silentLogger,
    windowEvents,
    unsealed: [],
    fingerprintsOf: () => Promise.reject(new Error('there are no segments')),
  });
}

describe('fingerprint files', () => {
  test('come back as they were saved, after a power cut too', async () => {
    const store = await setup();
    const fingerprints = fingerprintsFor(3, 10);
    await saveFingerprints(store, segmentIdOf(3), { seed, fingerprints });
    const fileSystem = store.fileSystem.restart({ otherwise: 'power-cut' });
    const restarted = { ...store, fileSystem };
    expect(await loadFingerprints(restarted, segmentIdOf(3))).toEqual({ seed, fingerprints });
  });

  test('are passed over when damaged, and the others still count', async () => {
    const store = await setup();
    await saveFingerprints(store, segmentIdOf(1), { seed, fingerprints: fingerprintsFor(1, 10) });
    await saveFingerprints(store, segmentIdOf(2), { seed, fingerprints: fingerprintsFor(2, 10) });
    const file = await store.fileSystem.open(`/data/dedup/${segmentIdOf(2)}.fp`, 'update');
    await file.write([Uint8Array.of(1)], 60);
    const window = await openWindow(store);
    expect(window.seed).toEqual(seed);
    expect(window.insertFingerprint(fingerprintsFor(1, 10), 0)).toBe(false);
    expect(window.insertFingerprint(fingerprintsFor(2, 10), 0)).toBe(true);
  });

  test('outside the window are deleted', async () => {
    const store = await setup();
    for (let sequence = 1; sequence <= 6; sequence += 1) {
      const fingerprints = fingerprintsFor(sequence, 10);
      await saveFingerprints(store, segmentIdOf(sequence), { seed, fingerprints });
    }
    await tidyFingerprints(store, 25);
    expect(await listFingerprintFiles(store)).toEqual([4, 5, 6].map(segmentIdOf));
  });

  test('are merged when there are many, and lose no fingerprint', async () => {
    const store = await setup();
    for (let sequence = 1; sequence <= 300; sequence += 1) {
      const fingerprints = fingerprintsFor(sequence, 3);
      await saveFingerprints(store, segmentIdOf(sequence), { seed, fingerprints });
    }
    await tidyFingerprints(store, 10_000);
    expect(await listFingerprintFiles(store)).toEqual([segmentIdOf(300)]);
    const window = await openWindow(store);
    expect(window.size).toBe(900);
    expect(window.insertFingerprint(fingerprintsFor(150, 3), 8)).toBe(false);
  });

  test('hold the newest events when there are more than the window takes', async () => {
    const store = await setup();
    for (let sequence = 1; sequence <= 3; sequence += 1) {
      const fingerprints = fingerprintsFor(sequence, 100_000);
      await saveFingerprints(store, segmentIdOf(sequence), { seed, fingerprints });
    }
    const window = await openWindow(store, 60_000);
    expect(window.size).toBe(131_072);
    expect(window.insertFingerprint(fingerprintsFor(3, 100_000), 4)).toBe(false);
    expect(window.insertFingerprint(fingerprintsFor(2, 100_000), 4 * 99_999)).toBe(false);
    expect(window.insertFingerprint(fingerprintsFor(1, 100_000), 4 * 99_999)).toBe(true);
  });
});
