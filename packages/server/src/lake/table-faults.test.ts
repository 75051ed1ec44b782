import { describe, expect, it } from 'vitest';
import { NodeError } from '../base/errors.ts';
import { FaultyObjectStore, type Fault, type FaultPlan } from './object-store/testing/faulty.ts';
import type { LakeTable } from './table.ts';
import { fileNames, tableFixture, type TableFixture } from './testing/table-fixture.ts';

const faults: readonly Fault[] = ['before', 'after', 'unsent'];
const EXPECTED = ['b', 'c', 'd', 'e', 'm'];

interface Step {
  readonly commitId: string;
  run(table: LakeTable): Promise<unknown>;
}

/** One commit of every kind; merging is covered where the number of manifests reaches its limit. */
async function scenario(fixture: TableFixture): Promise<Step[]> {
  const [a, b, c, d, e, f, m] = await Promise.all(
    ['a', 'b', 'c', 'd', 'e', 'f', 'm'].map(async (name) => fixture.addFile(name)),
  );
  if (!a || !b || !c || !d || !e || !f || !m) throw new Error('files are missing');
  return [
    { commitId: '1', run: async (table) => table.append([a], { commitId: '1' }) },
    { commitId: '2', run: async (table) => table.append([b, c, f], { commitId: '2' }) },
    {
      commitId: '3',
      run: async (table) => table.replace({ remove: [a.key], add: [m], commitId: '3' }),
    },
    { commitId: '4', run: async (table) => table.delete([f.key], { commitId: '4' }) },
    { commitId: '5', run: async (table) => table.append([d, e], { commitId: '5' }) },
  ];
}

/** Runs the scenario on a store with faults; after a failure as a node does that starts again. */
async function runWithFaults(fixture: TableFixture, plan: FaultPlan): Promise<number> {
  const steps = await scenario(fixture);
  const store = new FaultyObjectStore(fixture.store, plan);
  let failures = 0;
  let table: LakeTable | undefined;
  for (const step of steps) {
    for (;;) {
      try {
        // The second attempt is a restart after the fault is over: nothing is known but the commit id.
        table ??= await fixture.openTable({ store: failures === 0 ? store : fixture.store });
        if (failures > 0 && (await table.hasCommit(step.commitId))) break;
        await step.run(table);
        break;
      } catch (error) {
        if (!(error instanceof NodeError) || !error.isRetryable) throw error;
        failures += 1;
        table = undefined;
      }
    }
  }
  return store.calls;
}

async function expectSound(fixture: TableFixture): Promise<void> {
  const table = await fixture.openTable({ nodeId: 'reader' });
  expect(fileNames(table)).toEqual(EXPECTED);
  expect(table.current().totals.rows).toBe(50);
  expect(table.current()).toMatchObject({ version: 6, sequenceNumber: 5 });
  // A hint that could not be written is allowed to lag until the next commit.
  await table.append([await fixture.addFile('z')], { commitId: 'z' });
  expect(await table.verify()).toEqual([]);
}

async function countCalls(): Promise<number> {
  await using fixture = await tableFixture('memory');
  const calls = await runWithFaults(fixture, { faultAt: () => undefined });
  await expectSound(fixture);
  return calls;
}

describe('LakeTable on a failing store', () => {
  it.each(faults)(
    'absorbs a single fault (%s) at every call',
    { timeout: 120_000 },
    async (fault) => {
      const calls = await countCalls();
      expect(calls).toBeGreaterThan(30);
      for (let target = 1; target <= calls; target += 1) {
        await using fixture = await tableFixture('memory');
        await runWithFaults(fixture, {
          faultAt: (call) => (call === target ? fault : undefined),
        });
        await expectSound(fixture);
      }
    },
  );

  it.each(faults)(
    'neither loses nor repeats a commit when the store is gone (%s) from any call on',
    { timeout: 120_000 },
    async (fault) => {
      const calls = await countCalls();
      for (let target = 1; target <= calls; target += 1) {
        await using fixture = await tableFixture('memory');
        await runWithFaults(fixture, {
          faultAt: (call) => {
            if (call < target) return undefined;
            return call === target ? fault : 'before';
          },
        });
        await expectSound(fixture);
      }
    },
  );

  it('leaves nothing behind that is not part of the table when a commit fails for certain', async () => {
    await using fixture = await tableFixture('memory');
    await fixture.openTable();
    const store = new FaultyObjectStore(fixture.store, {
      faultAt: (_call, method, key) =>
        method === 'putIfAbsent' && key.endsWith('v2.metadata.json') ? 'before' : undefined,
    });
    const table = await fixture.openTable({ store });
    await expect(
      table.append([await fixture.addFile('a')], { commitId: '1' }),
    ).rejects.toMatchObject({ code: 'storage_unavailable' });
    const keys: string[] = [];
    for await (const { key } of fixture.store.list('varve/raw_events/metadata/')) keys.push(key);
    expect(keys).toEqual([
      'varve/raw_events/metadata/v1.metadata.json',
      'varve/raw_events/metadata/version-hint.text',
    ]);
  });

  it('keeps what a commit of unknown outcome wrote', async () => {
    await using fixture = await tableFixture('memory');
    await fixture.openTable();
    let isDown = false;
    const store = new FaultyObjectStore(fixture.store, {
      faultAt: (_call, method, key) => {
        if (isDown) return 'before';
        if (method !== 'putIfAbsent' || !key.endsWith('v2.metadata.json')) return undefined;
        isDown = true;
        return 'after';
      },
    });
    const table = await fixture.openTable({ store });
    const file = await fixture.addFile('a');
    await expect(table.append([file], { commitId: '1' })).rejects.toMatchObject({
      code: 'storage_unknown_outcome',
    });
    isDown = false;
    expect((await table.append([file], { commitId: '1' })).isRepeated).toBe(true);
    expect(fileNames(await fixture.openTable())).toEqual(['a']);
  });

  it('merges manifests soundly when a rival commits between the attempts', async () => {
    await using fixture = await tableFixture('memory');
    const table = await fixture.openTable();
    const rival = await fixture.openTable({ nodeId: 'rival' });
    for (let index = 0; index < 30; index += 1) {
      await table.append([await fixture.addFile(`f${index}`)], { commitId: `f${index}` });
    }
    // Every attempt of the merging commits loses once before it wins.
    for (let index = 0; index < 6; index += 1) {
      let isBeaten = false;
      const guard = async (): Promise<void> => {
        if (isBeaten) return;
        isBeaten = true;
        await rival.append([await fixture.addFile(`r${index}`)], { commitId: `r${index}` });
      };
      const file = await fixture.addFile(`m${index}`);
      const result = await table.append([file], { commitId: `m${index}`, guard });
      expect(result.attempts).toBe(2);
    }
    expect(table.current().totals.files).toBe(42);
    expect(await table.verify()).toEqual([]);
  });
});
