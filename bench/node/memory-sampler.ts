import { slope, type Point } from '../statistics.ts';
import { treeUsage } from './process-tree.ts';

const intervalMs = 250;
const mib = 1024 * 1024;

export interface MemoryReport {
  readonly maxMib: number;
  readonly mainMaxMib: number;
  /** Queries and merges run in processes of their own. */
  readonly childrenMaxMib: number;
  /** Growth over the second half: the first half includes caches and buffers that fill once. */
  readonly slopeMibPerMinute: number;
  readonly mainSlopeMibPerMinute: number;
}

/** Follows the memory of a node with its child processes. */
export class MemorySampler {
  readonly #whole: Point[] = [];
  readonly #main: Point[] = [];
  #childrenMaxMib = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    const startedMs = performance.now();
    this.#timer = setInterval(() => {
      const usage = treeUsage(pid);
      if (usage === undefined) return;
      const x = (performance.now() - startedMs) / 60_000;
      this.#whole.push({ x, y: usage.rssBytes / mib });
      this.#main.push({ x, y: usage.rootRssBytes / mib });
      const childrenMib = (usage.rssBytes - usage.rootRssBytes) / mib;
      this.#childrenMaxMib = Math.max(this.#childrenMaxMib, childrenMib);
    }, intervalMs);
  }

  /** Undefined where the system does not tell. */
  stop(): MemoryReport | undefined {
    clearInterval(this.#timer);
    if (this.#whole.length === 0) return undefined;
    return {
      maxMib: largest(this.#whole),
      mainMaxMib: largest(this.#main),
      childrenMaxMib: this.#childrenMaxMib,
      slopeMibPerMinute: slope(secondHalf(this.#whole)),
      mainSlopeMibPerMinute: slope(secondHalf(this.#main)),
    };
  }
}

function largest(points: readonly Point[]): number {
  return Math.max(...points.map((point) => point.y));
}

function secondHalf(points: readonly Point[]): readonly Point[] {
  return points.slice(Math.floor(points.length / 2));
}
