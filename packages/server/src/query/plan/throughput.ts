import type { ScanSpeed } from './bound.ts';

const sampleCount = 64;
/** Shorter reads say more about fixed costs than about speed. */
const minSampleBytes = 1024 * 1024;
/** Until measured: regular expressions over text on one slow core. */
const assumedBytesPerSecond = 30 * 1024 * 1024;
const secondsPerFile = 0.002;

/** How fast this node gets through column data, from the queries it has run. */
export class ThroughputMeter {
  readonly #samples: number[] = [];
  #next = 0;

  record(readBytes: number, seconds: number): void {
    if (readBytes < minSampleBytes || seconds <= 0) return;
    this.#samples[this.#next] = readBytes / seconds;
    this.#next = (this.#next + 1) % sampleCount;
  }

  /** The slow end of what was measured, since a bound must rather overstate. */
  get speed(): ScanSpeed {
    const sorted = this.#samples.toSorted((a, b) => a - b);
    const slow = sorted[Math.floor(sorted.length / 10)];
    const bytesPerSecond = sorted.length < 8 || slow === undefined ? assumedBytesPerSecond : slow;
    return { bytesPerSecond, secondsPerFile };
  }
}
