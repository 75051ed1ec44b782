import { rounded } from '../result.ts';
import { threadSeconds, treeUsage } from './process-tree.ts';

/** Processor time that a node spends from now on, in seconds for each million of something. */
export class CpuMeter {
  readonly #pid: number;
  readonly #treeSeconds: number | undefined;
  readonly #threads: ReadonlyMap<string, number>;

  constructor(pid: number) {
    this.#pid = pid;
    this.#treeSeconds = treeUsage(pid)?.cpuSeconds;
    this.#threads = threadSeconds(pid);
  }

  /** Empty where the system does not tell. Threads are those of the main process; idle ones are left out. */
  perMillion(millions: number): {
    node_cpu_seconds_per_million?: number;
    thread_cpu_seconds_per_million?: Readonly<Record<string, number>>;
  } {
    const treeSeconds = treeUsage(this.#pid)?.cpuSeconds;
    if (this.#treeSeconds === undefined || treeSeconds === undefined) return {};
    const total = (treeSeconds - this.#treeSeconds) / millions;
    const threads = [...threadSeconds(this.#pid)]
      .map(
        ([name, seconds]) => [name, (seconds - (this.#threads.get(name) ?? 0)) / millions] as const,
      )
      .filter(([, seconds]) => seconds > 0.01);
    const inThreads = threads.reduce((sum, [, seconds]) => sum + seconds, 0);
    return {
      node_cpu_seconds_per_million: rounded(total),
      thread_cpu_seconds_per_million: Object.fromEntries(
        [...threads, ['child processes', Math.max(0, total - inThreads)] as const].map(
          ([name, seconds]) => [name, rounded(seconds)],
        ),
      ),
    };
  }
}
