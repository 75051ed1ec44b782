import { describe, expect, it } from 'vitest';
import { rawEventsSchema } from '../columns/index.ts';
import type { DataFileStats } from '../parquet/index.ts';
import { type TableDelta, TableState } from './table-state.ts';

const stats = (rows: number): DataFileStats => ({
  rows,
  sizeBytes: rows * 10,
  columns: [],
  rowGroups: [],
});
const sealed = (segmentId: string, rows = 1) => ({
  segmentId,
  path: `/sealed/${segmentId}`,
  stats: stats(rows),
});
const delta = (change: Partial<TableDelta>): TableDelta => ({
  snapshotId: '1',
  added: [],
  removedKeys: [],
  publishedSegmentIds: [],
  committedAtMs: undefined,
  ...change,
});

function setup() {
  const released: string[][] = [];
  const state = new TableState({
    schema: rawEventsSchema,
    localPath: (key) => `/bucket/${key}`,
    onReleasable: (segmentIds) => released.push([...segmentIds]),
  });
  const paths = (): string[] => {
    const pinned = state.pin();
    pinned.release();
    return [...pinned.files.files()].map(({ path }) => path);
  };
  return { state, released, paths };
}

describe('TableState', () => {
  it('shows an event once at every moment of a publish', () => {
    const { state, paths, released } = setup();
    state.addSealed(sealed('s1'));
    state.addSealed(sealed('s2'));
    expect(paths()).toEqual(['/sealed/s1', '/sealed/s2']);
    state.apply(delta({ added: [{ key: 'd1', stats: stats(1) }], publishedSegmentIds: ['s1'] }));
    expect(paths()).toEqual(['/sealed/s2', '/bucket/d1']);
    expect(released).toEqual([['s1']]);
    expect(state.totals).toEqual({ files: 1, events: 1, bytes: 10 });
    expect(state.sealedTotals).toEqual({ files: 1, events: 1, bytes: 10 });
  });

  it('keeps a published sealed file until the last query that pinned it is done', () => {
    const { state, released } = setup();
    state.addSealed(sealed('s1'));
    const first = state.pin();
    const second = state.pin();
    state.apply(delta({ added: [{ key: 'd1', stats: stats(1) }], publishedSegmentIds: ['s1'] }));
    const later = state.pin();
    first.release();
    first.release();
    expect(released).toEqual([]);
    expect([...second.files.files()].map(({ path }) => path)).toEqual(['/sealed/s1']);
    second.release();
    expect(released).toEqual([['s1']]);
    later.release();
    expect(released).toEqual([['s1']]);
  });

  it('replaces files when the table does', () => {
    const { state, paths } = setup();
    const added = ['a', 'b'].map((key) => ({ key, stats: stats(1) }));
    state.apply(delta({ added }));
    state.apply(delta({ added: [{ key: 'ab', stats: stats(2) }], removedKeys: ['a', 'b'] }));
    expect(paths()).toEqual(['/bucket/ab']);
  });
});
