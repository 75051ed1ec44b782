import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeBatches } from './time-batches.ts';

test('gives each file once, nearest first, and says what is still to come', () => {
  const file = fc.record({
    earliest: fc.bigInt({ min: -20n, max: 20n }),
    length: fc.bigInt({ min: 0n, max: 9n }),
    rows: fc.integer({ min: 1, max: 400_000 }),
  });
  fc.assert(
    fc.property(
      fc.array(file, { minLength: 1, maxLength: 300 }),
      fc.constantFrom('newest' as const, 'oldest' as const),
      (list, direction) => {
        const packed = {
          paths: list.map((_, i) => Buffer.from(`/data/é ${i}\0`)),
          times: {
            earliest: BigInt64Array.from(list, ({ earliest }) => earliest),
            latest: BigInt64Array.from(list, ({ earliest, length }) => earliest + length),
            rows: Float64Array.from(list, ({ rows }) => rows),
          },
        };
        const batches = [...timeBatches(packed, direction)];
        const nearest = (path: string): bigint => {
          const found = list[Number(path.split(' ')[1])];
          if (found === undefined) throw new Error(`unknown ${path}`);
          return direction === 'newest' ? found.earliest + found.length : found.earliest;
        };
        const paths = batches.flatMap((batch) => batch.paths);
        expect(paths.toSorted()).toEqual(list.map((_, i) => `/data/é ${i}`).toSorted());
        batches.forEach(({ paths: own, nearestLeft }, i) => {
          const later = batches.slice(i + 1).flatMap((batch) => batch.paths.map(nearest));
          const sorted = later.toSorted((a, b) => Number(direction === 'newest' ? b - a : a - b));
          expect(nearestLeft).toBe(sorted[0]);
          expect(own.length).toBeGreaterThan(0);
        });
      },
    ),
    { numRuns: 50 },
  );
});
