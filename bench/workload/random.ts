/** Seeded random numbers (xorshift128): the same seed gives the same workload on every machine. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number) {
    this.#a = seed >>> 0 || 1;
    this.#b = 0x9e3779b9;
    this.#c = 0x243f6a88;
    this.#d = 0xb7e15162;
    for (let round = 0; round < 16; round++) this.uint32();
  }

  uint32(): number {
    let t = this.#d;
    const s = this.#a;
    this.#d = this.#c;
    this.#c = this.#b;
    this.#b = s;
    t ^= t << 11;
    t ^= t >>> 8;
    this.#a = t ^ s ^ (s >>> 19);
    return this.#a >>> 0;
  }

  /** An integer of [0, limit). */
  below(limit: number): number {
    return Math.floor((this.uint32() / 0x1_0000_0000) * limit);
  }

  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  /** Small values often, large ones seldom: latencies, sizes. */
  skewed(min: number, max: number): number {
    const share = this.uint32() / 0x1_0000_0000;
    return min + Math.floor(share ** 4 * (max - min));
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0];
  }

  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += this.uint32().toString(16).padStart(8, '0');
    return text.slice(0, digits);
  }
}
