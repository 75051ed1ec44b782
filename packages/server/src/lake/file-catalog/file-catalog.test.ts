import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rawEventsSchema } from '../../columns/index.ts';
import type { ColumnStats, DataFileStats } from '../data-file.ts';
import { FileCatalog, type FileView } from './file-catalog.ts';
import { leafFacts } from './stat-columns.ts';

const statsOf = (seed: number): DataFileStats => {
  const time = {
    compressedBytes: seed,
    values: 2,
    nulls: 0,
    min: BigInt(seed),
    max: BigInt(seed + 1),
  };
  const body = { compressedBytes: 3, values: 2, nulls: 1, min: `m${seed}`, max: `n${seed}` };
  const columns = [
    { path: 'timestamp_ns', fieldId: 1, ...time },
    { path: 'body', fieldId: 4, ...body },
    { path: '_template', compressedBytes: 5, values: 2, nulls: 0 },
  ];
  return {
    rows: seed,
    sizeBytes: seed + 100,
    columns,
    rowGroups: Array.from({ length: seed % 3 }, () => ({ rows: seed, offset: 4, columns })),
  };
};

/** What a view says of each file, as text. */
function contents(view: FileView): string[] {
  const time = view.layout.ofColumn('timestamp_ns')[0]?.index ?? -1;
  const body = view.layout.ofColumn('body')[0]?.index ?? -1;
  const found: string[] = [];
  for (const block of view.blocks) {
    for (let slot = 0; slot < block.length; slot += 1) {
      if (!block.isVisible(slot, view.version)) continue;
      const times = block.files.leaves[time];
      const groups = Array.from(
        { length: (block.groupEnd[slot] ?? 0) - block.groupStart(slot) },
        (_, i) => {
          const group = block.groupStart(slot) + i;
          return `${block.groups.rows[group]}:${block.groups.leaves[time]?.max[group]}:${block.groups.totalBytes[group]}`;
        },
      );
      found.push(
        [
          block.paths[slot],
          block.files.rows[slot],
          block.sizeBytes[slot],
          block.footerBytes[slot],
          `${times?.bytes[slot]}:${times?.min[slot]}:${times?.max[slot]}`,
          block.files.leaves[body]?.maxText[slot],
          ...groups,
        ].join(' '),
      );
    }
  }
  return found.toSorted();
}

const expected = (seed: number): string => {
  const groups = Array.from({ length: seed % 3 }, () => `${seed}:${seed + 1}:${seed + 8}`);
  return [
    `f${seed}`,
    seed,
    seed + 100,
    92,
    `${seed}:${seed}:${seed + 1}`,
    `n${seed}`,
    ...groups,
  ].join(' ');
};

test('a view shows the files of its moment, whatever is added, removed and moved later', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ add: fc.integer({ min: 1, max: 700 }) }) },
    { weight: 3, arbitrary: fc.record({ remove: fc.double({ min: 0, max: 1, noNaN: true }) }) },
    { weight: 1, arbitrary: fc.constant('view' as const) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const catalog = new FileCatalog(rawEventsSchema);
      let next = 1;
      let live: number[] = [];
      const views: { readonly view: FileView; readonly seeds: readonly number[] }[] = [];
      for (const one of steps) {
        if (one === 'view') views.push({ view: catalog.view(), seeds: live });
        else if ('add' in one) {
          const seeds = Array.from({ length: one.add }, (_, i) => next + i);
          next += one.add;
          for (const seed of seeds) catalog.add({ path: `f${seed}`, stats: statsOf(seed) });
          live = live.concat(seeds);
        } else {
          const gone = live.filter((seed) => (seed * 0.618) % 1 < one.remove);
          for (const seed of gone) {
            expect(catalog.remove(`f${seed}`)).toEqual({ rows: seed, sizeBytes: seed + 100 });
          }
          live = live.filter((seed) => (seed * 0.618) % 1 >= one.remove);
        }
      }
      views.push({ view: catalog.view(), seeds: live });
      for (const { view, seeds } of views) {
        expect(view.fileCount).toBe(seeds.length);
        expect(contents(view)).toEqual(seeds.map(expected).toSorted());
      }
    }),
    { numRuns: 30 },
  );
});

describe('what it knows of a file', () => {
  const catalogOf = (stats: DataFileStats): FileView => {
    const catalog = new FileCatalog(rawEventsSchema);
    catalog.add({ path: 'x', stats });
    return catalog.view();
  };
  const bodyOf = (view: FileView) =>
    view.blocks[0]?.files.leaves[view.layout.ofColumn('body')[0]?.index ?? -1];
  const body: ColumnStats = {
    path: 'renamed',
    fieldId: 4,
    compressedBytes: 7,
    values: 1,
    nulls: 0,
  };

  test('finds columns by field id, and by path where there is none', () => {
    const rowGroups = [{ rows: 1, offset: 4, columns: [body] }];
    const stats = { rows: 1, sizeBytes: 50, columns: [body], rowGroups };
    expect(bodyOf(catalogOf(stats))?.bytes[0]).toBe(7);
    const { fieldId: _id, ...byPath } = { ...body, path: 'body' };
    expect(bodyOf(catalogOf({ ...stats, columns: [byPath] }))?.bytes[0]).toBe(7);
    const other = { ...body, path: 'body', fieldId: 99 };
    expect(bodyOf(catalogOf({ ...stats, columns: [other] }))?.facts[0]).toBe(0);
  });

  test('holds a column for absent only where the footer was read', () => {
    const time: ColumnStats = { path: 'timestamp_ns', fieldId: 1, compressedBytes: 7, values: 1 };
    const stats = { rows: 1, sizeBytes: 50, columns: [time], rowGroups: [] };
    const unknown = catalogOf(stats);
    expect(bodyOf(unknown)?.facts[0]).toBe(leafFacts.present);
    expect(unknown.blocks[0]?.unknownBytes[0]).toBe(43);
    const rowGroups = [{ rows: 1, offset: 4, columns: [time] }];
    expect(bodyOf(catalogOf({ ...stats, rowGroups }))?.facts[0]).toBe(0);
  });

  test('keeps no long texts, only bounds of them', () => {
    const text = 'é'.repeat(100_000);
    const view = catalogOf({
      rows: 1,
      sizeBytes: 50,
      columns: [{ ...body, min: text, max: text }],
      rowGroups: [],
    });
    const min = bodyOf(view)?.minText[0] ?? '';
    const max = bodyOf(view)?.maxText[0] ?? '';
    expect(min.length + max.length).toBeLessThan(100);
    expect(min < text && text < max).toBe(true);
  });
});
