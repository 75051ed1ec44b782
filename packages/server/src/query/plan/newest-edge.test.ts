import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { rawEventsSchema } from '../../columns/index.ts';
import { FileCatalog, type DataFileStats } from '../../lake/index.ts';
import { findNewestEdge } from './newest-edge.ts';
import { TimeSlice } from './time-slice.ts';

const statsOf = (groups: readonly (readonly bigint[])[]): DataFileStats => {
  const range = (times: readonly bigint[]) => {
    const sorted = times.toSorted((a, b) => Number(a - b));
    const [min = 0n] = sorted;
    return { compressedBytes: 1, values: times.length, nulls: 0, min, max: sorted.at(-1) ?? 0n };
  };
  const all = groups.flat();
  return {
    rows: all.length,
    sizeBytes: 100,
    columns: [{ path: 'timestamp_ns', fieldId: 1, ...range(all) }],
    rowGroups: groups.map((times) => ({ rows: times.length, offset: 4, columns: [range(times)] })),
  };
};

test('keeps every row that can be among the first, ties included', async () => {
  const group = fc.array(fc.bigInt({ min: 0n, max: 30n }), { minLength: 1, maxLength: 6 });
  const file = fc.array(group, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { maxLength: 6 }),
      fc.integer({ min: 1, max: 25 }),
      fc.constantFrom('newest' as const, 'oldest' as const),
      async (files, limit, direction) => {
        const catalog = new FileCatalog(rawEventsSchema);
        files.forEach((groups, i) => catalog.add({ path: String(i), stats: statsOf(groups) }));
        const edge = await findNewestEdge(
          catalog.view(),
          { direction, limit, offset: 0 },
          { timeColumn: 'timestamp_ns', slice: new TimeSlice(systemClock) },
        );
        const isNewest = direction === 'newest';
        const all = files.flat(2).toSorted((a, b) => (isNewest ? Number(b - a) : Number(a - b)));
        const near = all.filter(
          (time) => edge === undefined || (isNewest ? time >= edge : time <= edge),
        );
        expect(near.slice(0, limit)).toEqual(all.slice(0, limit));
        const last = all.slice(0, limit).at(-1);
        expect(near.filter((time) => time === last)).toEqual(all.filter((time) => time === last));
        if (all.length < limit) expect(edge).toBeUndefined();
        else expect(edge).toBeDefined();
      },
    ),
  );
});
