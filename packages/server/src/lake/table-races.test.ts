import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProcess } from './object-store/testing/contract-tests.ts';
import type { AppendTask } from './testing/append-process.ts';
import { fileNames, tableFixture } from './testing/table-fixture.ts';

const script = new URL('./testing/append-process.ts', import.meta.url);

describe('LakeTable under concurrency', () => {
  it(
    'keeps every append of several processes, in consecutive versions',
    { timeout: 60_000 },
    async () => {
      await using fixture = await tableFixture();
      const run = async (nodeId: string): Promise<{ attempts: number }> =>
        runProcess(script, { root: fixture.root, nodeId, count: 20 } satisfies AppendTask);
      await Promise.all(['a', 'b', 'c'].map(run));
      const table = await fixture.openTable();
      expect(table.current()).toMatchObject({
        version: 61,
        sequenceNumber: 60,
        totals: { files: 60, rows: 600, bytes: 1800 },
      });
      const expected = ['a', 'b', 'c'].flatMap((node) =>
        Array.from({ length: 20 }, (_, index) => `${node}-${index}`),
      );
      expect(fileNames(table)).toEqual(expected.sort());
      expect(await table.verify()).toEqual([]);
      const text = await readFile(join(fixture.root, table.current().metadataKey), 'utf8');
      const { snapshots } = JSON.parse(text) as { snapshots: { 'sequence-number': number }[] };
      expect(snapshots.map((snapshot) => snapshot['sequence-number'])).toEqual(
        Array.from({ length: 60 }, (_, index) => index + 1),
      );
    },
  );

  it('applies appends and a compaction that race on several nodes', async () => {
    await using fixture = await tableFixture();
    const first = await fixture.openTable();
    const inputs = await Promise.all([0, 1, 2].map(async (n) => fixture.addFile(`in${n}`)));
    await first.append(inputs, { commitId: 'inputs' });
    const output = await fixture.addFile('out', 30);
    const nodes = await Promise.all(
      ['b', 'c', 'd'].map(async (nodeId) => fixture.openTable({ nodeId })),
    );
    await Promise.all([
      first.replace({ remove: inputs.map((f) => f.key), add: [output], commitId: 'compact' }),
      ...nodes.map(async (node, index) => {
        for (const round of [0, 1, 2]) {
          const file = await fixture.addFile(`n${index}-${round}`);
          await node.append([file], { commitId: `n${index}-${round}` });
        }
      }),
    ]);
    await first.refresh();
    expect(first.current().totals).toEqual({ files: 10, rows: 120, bytes: 360 });
    expect(fileNames(first)).not.toContain('in0');
    expect(await first.verify()).toEqual([]);
  });

  it('lets one of two compactions of the same file win', async () => {
    await using fixture = await tableFixture();
    const one = await fixture.openTable();
    const input = await fixture.addFile('in');
    await one.append([input], { commitId: 'in' });
    const two = await fixture.openTable({ nodeId: 'node-2' });
    const outcomes = await Promise.allSettled(
      [one, two].map(async (table, index) =>
        table.replace({
          remove: [input.key],
          add: [await fixture.addFile(`out${index}`)],
          commitId: `r${index}`,
        }),
      ),
    );
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(lost).toMatchObject([{ reason: { code: 'storage_commit_conflict' } }]);
    expect((await one.refresh()).totals.files).toBe(1);
    expect(await one.verify()).toEqual([]);
  });
});
