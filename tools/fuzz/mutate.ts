/** A small seeded generator (mulberry32): the same seed gives the same inputs on every machine. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const interestingBytes = [0x00, 0x01, 0x7f, 0x80, 0xff, 0x0a, 0x22, 0x5c, 0x7b, 0x7d];

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** One random change: a byte, a cut, a repeated span, or a span of another input spliced in. */
function mutateOnce(input: Uint8Array, other: Uint8Array, random: () => number): Uint8Array {
  const below = (limit: number): number => Math.floor(random() * limit);
  const at = below(input.length + 1);
  const end = Math.min(input.length, at + below(32));
  switch (below(5)) {
    case 0: {
      const changed = input.slice();
      if (at < changed.length) changed[at] = interestingBytes[below(interestingBytes.length)] ?? 0;
      return changed;
    }
    case 1: {
      const changed = input.slice();
      if (at < changed.length) changed[at] = (changed[at] ?? 0) ^ (1 << below(8));
      return changed;
    }
    case 2:
      return concat(input.subarray(0, at), input.subarray(end));
    case 3:
      return concat(input.subarray(0, end), input.subarray(at));
    default: {
      const from = below(other.length + 1);
      return concat(
        input.subarray(0, at),
        other.subarray(from, from + below(64)),
        input.subarray(at),
      );
    }
  }
}

/** A new input made from one of `seeds` by one to eight changes. */
export function mutate(seeds: readonly Uint8Array[], random: () => number): Uint8Array {
  const pick = (): Uint8Array => seeds[Math.floor(random() * seeds.length)] ?? new Uint8Array();
  let input = pick();
  for (let changes = 1 + Math.floor(random() * 8); changes > 0; changes -= 1) {
    input = mutateOnce(input, pick(), random);
  }
  return input;
}
