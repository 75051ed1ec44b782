import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeBelowBytes, mergeMaxBytes, planPublish, splitPublish } from './publish-plan.ts';

function sealedFiles(sizes: readonly number[]) {
  return sizes.map((sizeBytes, index) => ({
    path: `sealed/${index}.parquet`,
    segmentId: `segment-${index}`,
    stats: { rows: 1, sizeBytes, columns: [], rowGroups: [] },
  }));
}

describe('planPublish', () => {
  it('sends large files up as they are and merges small ones', () => {
    const sealed = sealedFiles([100, mergeBelowBytes, 200, mergeBelowBytes - 1]);
    const { files, isCommitted } = planPublish(sealed, { maxBytes: Infinity, dataPrefix: 'data/' });
    expect(files.map((file) => file.segmentIds)).toEqual([
      ['segment-1'],
      ['segment-0', 'segment-2', 'segment-3'],
    ]);
    expect(isCommitted).toBe(false);
  });

  it('puts every file into one object, and no more into a merge than its limit', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: mergeBelowBytes * 2 }), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(sizes, (list) => {
        const sealed = sealedFiles(list);
        const sizeOf = new Map(sealed.map((file) => [file.segmentId, file.stats.sizeBytes]));
        const { files } = planPublish(sealed, { maxBytes: Infinity, dataPrefix: 'data/' });
        const planned = files.flatMap((file) => file.segmentIds);
        expect(planned.toSorted()).toEqual(sealed.map((file) => file.segmentId).toSorted());
        expect(new Set(files.map((file) => file.key)).size).toBe(files.length);
        for (const { segmentIds } of files) {
          expect(segmentIds.length).toBeGreaterThan(0);
          if (segmentIds.length === 1) continue;
          const bytes = segmentIds.reduce((sum, id) => sum + (sizeOf.get(id) ?? 0), 0);
          expect(bytes).toBeLessThanOrEqual(mergeMaxBytes);
        }
      }),
    );
  });
});

describe('splitPublish', () => {
  it('does without one merge and leaves alone what may be in the bucket', () => {
    const files = [
      { key: 'data/large', segmentIds: ['a'] },
      { key: 'data/merged', segmentIds: ['b', 'c'] },
      { key: 'data/failing', segmentIds: ['d', 'e'] },
    ];
    const intent = { commitId: '1', isCommitted: false, files };
    const split = splitPublish(intent, { key: 'data/failing', dataPrefix: 'data/' });
    expect(split).toMatchObject({ commitId: '1', isCommitted: false });
    expect(split.files.slice(0, 2)).toEqual(files.slice(0, 2));
    expect(split.files.slice(2).map((file) => file.segmentIds)).toEqual([['d'], ['e']]);
    expect(new Set(split.files.map((file) => file.key)).size).toBe(4);
  });
});
