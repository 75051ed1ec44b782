import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DataFileStats } from '../../lake/index.ts';
import type { PinnedFile } from '../table.ts';
import { narrowNewestFirst } from './newest-first.ts';

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
    columns: [{ path: 't', ...range(all) }],
    rowGroups: groups.map((times) => ({ rows: times.length, offset: 4, columns: [range(times)] })),
  };
};

test('keeps every row that can be among the first, ties included', () => {
  const group = fc.array(fc.bigInt({ min: 0n, max: 30n }), { minLength: 1, maxLength: 6 });
  const file = fc.array(group, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(file, { maxLength: 6 }),
      fc.integer({ min: 0, max: 25 }),
      fc.constantFrom('newest', 'oldest'),
      (list, rows, direction) => {
        const isNewest = direction === 'newest';
        const files = list.map((groups, i): PinnedFile & { times: readonly bigint[] } => ({
          path: String(i),
          stats: statsOf(groups),
          times: groups.flat(),
        }));
        const wanted = { table: 'x', direction: isNewest ? 'newest' : 'oldest', rows } as const;
        const { files: kept, edgeNs } = narrowNewestFirst(files, wanted, 't');
        const order = (a: bigint, b: bigint): number => (isNewest ? Number(b - a) : Number(a - b));
        const first = (from: readonly bigint[]): readonly bigint[] =>
          from.toSorted(order).slice(0, rows);
        const all = files.flatMap(({ times }) => times);
        const near = files
          .filter((candidate) => kept.includes(candidate))
          .flatMap(({ times }) => times)
          .filter((time) => edgeNs === undefined || (isNewest ? time >= edgeNs : time <= edgeNs));
        expect(first(near)).toEqual(first(all));
        const last = first(all).at(-1);
        if (last !== undefined)
          expect(near.filter((time) => time === last)).toEqual(all.filter((time) => time === last));
      },
    ),
  );
});
