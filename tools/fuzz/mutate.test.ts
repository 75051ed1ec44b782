import { expect, it } from 'vitest';
import { createRandom, mutate } from './mutate.ts';

const seeds = ['{"body":"one"}', '<34>1 2026-01-01T00:00:00Z host app - - - text'].map((text) =>
  new TextEncoder().encode(text),
);

it('makes the same inputs from the same seed', () => {
  const inputs = (seed: number): Uint8Array[] => {
    const random = createRandom(seed);
    return Array.from({ length: 50 }, () => mutate(seeds, random));
  };
  expect(inputs(7)).toEqual(inputs(7));
  expect(inputs(7)).not.toEqual(inputs(8));
});

it('leaves the seeds as they are, and mostly makes new inputs', () => {
  const random = createRandom(1);
  const before = seeds.map((seed) => seed.slice());
  const made = new Set(
    Array.from({ length: 500 }, () => Buffer.from(mutate(seeds, random)).toString('hex')),
  );
  expect(seeds).toEqual(before);
  expect(made.size).toBeGreaterThan(300);
});
