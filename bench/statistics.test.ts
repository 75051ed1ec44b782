import { expect, it } from 'vitest';
import { median, percentile, slope } from './statistics.ts';

it('takes percentiles by nearest rank, whatever the order of the samples', () => {
  const samples = [5, 1, 4, 2, 3];
  expect(median(samples)).toBe(3);
  expect(percentile(samples, 0.99)).toBe(5);
  expect(percentile(samples, 0.2)).toBe(1);
  expect(percentile([], 0.5)).toBeNaN();
});

it('fits a line through noise', () => {
  const points = [0, 1, 2, 3].map((x) => ({ x, y: 2 * x + (x % 2 === 0 ? 0.1 : -0.1) }));
  expect(slope(points)).toBeCloseTo(1.96);
  expect(slope([{ x: 1, y: 1 }])).toBe(0);
});
