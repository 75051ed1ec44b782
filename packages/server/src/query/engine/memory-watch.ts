import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';

const intervalMs = 50;

/**
 * Calls back once when a process holds more memory than the limit. The engine's own limit covers its tables and
 * buffers but not the values that functions such as `repeat` build, which can be of any size. Does nothing where
 * the system does not tell.
 */
export function watchMemory(
  pid: number,
  options: {
    readonly limitBytes: number;
    readonly clock: Clock;
    /** An idle process is not looked at. */
    readonly isBusy: () => boolean;
    readonly onExceeded: (residentBytes: number) => void;
  },
): () => void {
  let isStopped = false;
  let cancelTimer: () => void = () => undefined;
  const look = async (): Promise<void> => {
    const residentBytes = options.isBusy() ? await residentBytesOf(pid) : 0;
    if (isStopped || residentBytes === undefined) return;
    if (residentBytes > options.limitBytes) options.onExceeded(residentBytes);
    else schedule();
  };
  const schedule = (): void => {
    cancelTimer = options.clock.after(intervalMs, () => void look());
  };
  schedule();
  return () => {
    isStopped = true;
    cancelTimer();
  };
}

async function residentBytesOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'latin1').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
