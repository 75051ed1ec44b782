import { slope, type Point } from '../statistics.ts';
import { treeUsage } from './process-tree.ts';

const intervalMs = 250;
const mib = 1024 * 1024;

export interface MemoryReport {
  readonly maxMib: number;
  /** Growth over the second half: the first half includes caches and buffers that fill once. */
  readonly slopeMibPerMinute: number;
}

/** Follows the memory of a node with its child processes. */
export class MemorySampler {
  readonly #points: Point[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    const startedMs = performance.now();
    this.#timer = setInterval(() => {
      const usage = treeUsage(pid);
      if (usage === undefined) return;
      this.#points.push({ x: (performance.now() - startedMs) / 60_000, y: usage.rssBytes / mib });
    }, intervalMs);
  }

  /** Undefined where the system does not tell. */
  stop(): MemoryReport | undefined {
    clearInterval(this.#timer);
    if (this.#points.length === 0) return undefined;
    return {
      maxMib: Math.max(...this.#points.map((point) => point.y)),
      slopeMibPerMinute: slope(this.#points.slice(Math.floor(this.#points.length / 2))),
    };
  }
}
