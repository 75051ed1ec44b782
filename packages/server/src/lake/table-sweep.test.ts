import { describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../base/clock.ts';
import { rawEventsSchema } from '../columns/index.ts';
import { MemoryObjectStore } from './object-store/testing/memory.ts';
import { LakeTable } from './table.ts';
import { describeFile, TABLE_PREFIX } from './testing/table-fixture.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

class SteppingClock implements Clock {
  #nowMs = 1_760_000_000_000;
  readonly after = systemClock.after;

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  async sleep(): Promise<void> {
    return Promise.resolve();
  }

  step(stepMs: number): void {
    this.#nowMs += stepMs;
  }
}

async function setup(): Promise<{
  clock: SteppingClock;
  store: MemoryObjectStore;
  table: LakeTable;
  open: (store?: MemoryObjectStore) => Promise<LakeTable>;
  append: (name: string) => Promise<void>;
}> {
  const clock = new SteppingClock();
  const store = new MemoryObjectStore(clock);
  const open = async (from = store): Promise<LakeTable> =>
    LakeTable.open({
      store: from,
      schema: rawEventsSchema,
      nodeId: 'n',
      clock,
      maxSnapshots: 20,
    });
  const table = await open();
  const append = async (name: string): Promise<void> => {
    const file = describeFile(name);
    await store.put(file.key, new Uint8Array(file.stats.sizeBytes));
    await table.append([file], { commitId: name });
    clock.step(MINUTE_MS);
  };
  return { clock, store, table, open, append };
}

async function listNames(store: MemoryObjectStore, folder: string): Promise<string[]> {
  const prefix = `${TABLE_PREFIX}/${folder}/`;
  const names: string[] = [];
  for await (const { key } of store.list(prefix)) names.push(key.slice(prefix.length));
  return names;
}

/** The store as a reader sees it that still believes in an older version: nothing after it exists. */
async function asOf(store: MemoryObjectStore, version: number): Promise<MemoryObjectStore> {
  const copy = new MemoryObjectStore();
  for await (const { key } of store.list('')) {
    const found = Number(/\/v(\d+)\.metadata\.json$/.exec(key)?.[1] ?? 0);
    const body = (await store.get(key))?.body;
    if (found <= version && !key.endsWith('version-hint.text') && body) await copy.put(key, body);
  }
  return copy;
}

describe('LakeTable sweep', () => {
  it('deletes old metadata and keeps every version of the grace period readable', async () => {
    const { store, table, open, append } = await setup();
    for (let index = 0; index < 400; index += 1) await append(`f${index}`);
    const before = (await listNames(store, 'metadata')).length;
    const result = await table.sweep(2 * HOUR_MS);
    const names = await listNames(store, 'metadata');
    expect(result.deletedObjects).toBe(before - names.length);
    expect(result.deletedObjects).toBeGreaterThan(400);
    expect(result.unreachableData).toEqual([]);
    expect(await table.verify()).toEqual([]);
    // Version 401 is the newest; 120 minutes ago it was version 282.
    for (const version of [282, 300, 350, 400]) {
      const reader = await open(await asOf(store, version));
      expect(reader.current().version).toBe(version);
      expect(await reader.verify()).toEqual(['version hint is missing or unreadable']);
    }
    expect(names).not.toContain('v281.metadata.json');
  });

  it('keeps a number of versions and the hinted one, however old they are', async () => {
    const { clock, store, table, append } = await setup();
    for (let index = 0; index < 130; index += 1) await append(`f${index}`);
    clock.step(1000 * HOUR_MS);
    await store.put(`${TABLE_PREFIX}/metadata/version-hint.text`, Buffer.from('12'));
    await table.sweep(HOUR_MS);
    const names = await listNames(store, 'metadata');
    expect(names).toContain('v12.metadata.json');
    expect(names).not.toContain('v11.metadata.json');
  });

  it('reports data files that left the table, once the grace period is over', async () => {
    const { clock, store, table, append } = await setup();
    await append('gone');
    await append('kept');
    await table.delete([describeFile('gone').key], { commitId: 'd' });
    const stray = describeFile('stray').key;
    await store.put(stray, new Uint8Array(3));
    clock.step(30 * MINUTE_MS);
    expect((await table.sweep(HOUR_MS)).unreachableData).toEqual([]);
    clock.step(3 * HOUR_MS);
    for (let index = 0; index < 30; index += 1) await append(`f${index}`);
    clock.step(3 * HOUR_MS);
    const { unreachableData } = await table.sweep(HOUR_MS);
    expect(unreachableData.map(({ key }) => key)).toEqual([describeFile('gone').key, stray]);
    expect(await listNames(store, 'data')).toHaveLength(33);
    expect(await table.verify()).toEqual([]);
  });

  it('touches nothing while everything is younger than the grace period', async () => {
    const { store, table, append } = await setup();
    for (let index = 0; index < 30; index += 1) await append(`f${index}`);
    const before = await listNames(store, 'metadata');
    expect((await table.sweep(HOUR_MS)).deletedObjects).toBe(0);
    expect(await listNames(store, 'metadata')).toEqual(before);
  });
});
