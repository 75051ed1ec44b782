import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCrashRounds } from './harness.ts';
import { IngestTarget } from './ingest-target.ts';

test('a process killed at random moments keeps every acknowledged event, once', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'varve-crash-'));
  try {
    const report = await runCrashRounds({
      target: new IngestTarget(directory),
      rounds: 20,
      seed: 1,
      clients: 8,
      roundMaxMs: 120,
    });
    expect(report.acknowledged).toBeGreaterThan(100);
    expect(report).toMatchObject({ lost: [], doubled: [], unknown: [] });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}, 60_000);
