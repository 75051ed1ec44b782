/** A small seeded generator (sfc32): the same seeds give the same sequence on every machine. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(...seeds: readonly number[]) {
    this.#a = hashNumbers(seeds, 0x9e3779b9);
    this.#b = hashNumbers(seeds, 0x243f6a88);
    this.#c = hashNumbers(seeds, 0xb7e15162);
    for (let i = 0; i < 8; i++) this.uint32();
  }

  uint32(): number {
    const sum = (this.#a + this.#b + this.#counter) >>> 0;
    this.#counter = (this.#counter + 1) >>> 0;
    this.#a = (this.#b ^ (this.#b >>> 9)) >>> 0;
    this.#b = (this.#c + (this.#c << 3)) >>> 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) >>> 0;
    return sum;
  }

  /** In [0, 1). */
  next(): number {
    return this.uint32() / 4294967296;
  }

  /** In [from, to], whole. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<const T>(values: readonly [T, ...T[]]): T {
    return values[Math.floor(this.next() * values.length)] ?? values[0];
  }

  /** Long-tailed around `median`, as response times are. */
  latency(median: number, spread = 0.45): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(spread * normal);
  }

  /** How many arrivals an interval with this mean gets. */
  poisson(mean: number): number {
    if (mean <= 0) return 0;
    if (mean > 40) {
      const normal =
        Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
      return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
    }
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = this.next(); product > limit; product *= this.next()) count++;
    return count;
  }

  /** `words` × 8 hex digits. */
  hex(words: number): string {
    let text = '';
    for (let i = 0; i < words; i++) text += this.uint32().toString(16).padStart(8, '0');
    return text;
  }
}

/** A 32-bit hash of numbers of up to 53 bits. */
export function hashNumbers(values: readonly number[], basis = 0x811c9dc5): number {
  let hash = basis >>> 0;
  for (const value of values) {
    hash = mix(hash ^ (value >>> 0));
    hash = mix(hash ^ Math.floor(value / 4294967296));
  }
  return hash;
}

function mix(value: number): number {
  let hash = value >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
