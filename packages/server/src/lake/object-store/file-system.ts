import { mkdir, open } from 'node:fs/promises';
import { dirname, sep } from 'node:path';

export function isErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    codes.includes(error.code)
  );
}

/** True only when this host certainly runs no process of that id. */
export function isProcessGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return isErrorCode(error, 'ESRCH');
  }
}

export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes names created, removed or replaced in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  await syncFile(path);
}

/** Creates a directory and every missing parent so that their names survive a power cut. */
export async function makeDirectoryDurable(path: string): Promise<void> {
  const firstCreated = await mkdir(path, { recursive: true });
  if (firstCreated === undefined) return;
  const stop = dirname(firstCreated);
  for (let current = path; current !== stop && current !== sep; current = dirname(current)) {
    await syncDirectory(current);
  }
  await syncDirectory(stop);
}
