import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Appends records of this size and syncs each, with nothing else going on: what the disk itself takes. */
export function syncLatenciesMs(options: {
  directory: string;
  recordBytes: number;
  durationMs: number;
}): number[] {
  const path = join(options.directory, 'sync-reference');
  const record = Buffer.alloc(options.recordBytes, 0x5a);
  const file = openSync(path, 'w');
  const latencies: number[] = [];
  try {
    const endMs = performance.now() + options.durationMs;
    for (let nowMs = performance.now(); nowMs < endMs;) {
      writeSync(file, record);
      fdatasyncSync(file);
      const doneMs = performance.now();
      latencies.push(doneMs - nowMs);
      nowMs = doneMs;
    }
  } finally {
    closeSync(file);
    rmSync(path);
  }
  return latencies;
}
