import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeManifestList } from './iceberg/manifest-list.ts';
import { LocalObjectStore } from './object-store/local.ts';
import type { LakeTable } from './table.ts';
import {
  describeFile,
  fileNames,
  TABLE_PREFIX,
  tableFixture,
  type TableFixture,
} from './testing/table-fixture.ts';

interface MetadataJson {
  snapshots: { 'snapshot-id': number; 'manifest-list': string; summary: Record<string, string> }[];
  'snapshot-log': { 'snapshot-id': number }[];
  location: string;
}

let fixture: TableFixture;
let table: LakeTable;

beforeEach(async () => {
  fixture = await tableFixture();
  table = await fixture.openTable();
});

afterEach(async () => {
  expect(await table.verify()).toEqual([]);
  await fixture[Symbol.asyncDispose]();
});

const metadataPath = (name: string): string => join(fixture.root, TABLE_PREFIX, 'metadata', name);

async function readMetadata(): Promise<MetadataJson> {
  const path = join(fixture.root, table.current().metadataKey);
  return JSON.parse(await readFile(path, 'utf8')) as MetadataJson;
}

async function manifestCount(): Promise<number> {
  const list = (await readMetadata()).snapshots.at(-1)?.['manifest-list'] ?? '';
  return (await decodeManifestList(await readFile(list.slice('file://'.length)))).length;
}

describe('LakeTable', () => {
  it('starts empty and is created once by nodes that race', async () => {
    const others = await Promise.all(
      Array.from({ length: 4 }, async (_, index) => fixture.openTable({ nodeId: `n${index}` })),
    );
    for (const other of others) expect(other.current()).toEqual(table.current());
    expect(table.current()).toMatchObject({ version: 1, snapshotId: undefined, files: [] });
  });

  it('shows appended files to itself, to other nodes and to a fresh one', async () => {
    const other = await fixture.openTable({ nodeId: 'node-2' });
    const file = await fixture.addFile('a', 5);
    const result = await table.append([file], { commitId: 'c1' });
    expect(result).toMatchObject({ isRepeated: false, attempts: 1 });
    expect(result.snapshot.totals).toEqual({ files: 1, rows: 5, bytes: 15 });
    expect((await other.refresh()).files).toEqual([file]);
    expect((await fixture.openTable()).current().files).toEqual([file]);
  });

  it('keeps a snapshot as it was while the table goes on', async () => {
    const before = table.current();
    await table.append([await fixture.addFile('a')], { commitId: 'c1' });
    expect(before.files).toEqual([]);
    expect(await table.refresh()).toBe(table.current());
  });

  it('commits one id once', async () => {
    const file = await fixture.addFile('a');
    await table.append([file], { commitId: 'c1' });
    const again = await table.append([file], { commitId: 'c1' });
    expect(again.isRepeated).toBe(true);
    const elsewhere = await fixture.openTable({ nodeId: 'node-2' });
    expect((await elsewhere.append([file], { commitId: 'c1' })).isRepeated).toBe(true);
    expect(table.current().version).toBe(2);
  });

  it('refuses to list a file twice', async () => {
    const file = await fixture.addFile('a');
    await table.append([file], { commitId: 'c1' });
    await expect(table.append([file], { commitId: 'c2' })).rejects.toMatchObject({
      code: 'storage_commit_conflict',
    });
  });

  it('remembers commits and their segments after their snapshots expired', async () => {
    const short = await fixture.openTable({ nodeId: 'node-2', maxSnapshots: 4 });
    const options = { commitId: 'first', segmentIds: ['seg-1', 'seg-2'] };
    await short.append([await fixture.addFile('first')], options);
    const busy = await fixture.openTable({ nodeId: 'busy', maxSnapshots: 4 });
    for (let index = 0; index < 12; index += 1) {
      await busy.append([await fixture.addFile(`b${index}`)], { commitId: `b${index}` });
    }
    const fresh = await fixture.openTable();
    expect(await fresh.hasCommit('first')).toBe(true);
    expect(await fresh.hasSegment('seg-2')).toBe(true);
    expect(await fresh.hasCommit('seg-2')).toBe(false);
    expect(await fresh.hasSegment('first')).toBe(false);
    await table.refresh();
    const { snapshots, 'snapshot-log': log } = await readMetadata();
    expect(snapshots.length).toBeLessThanOrEqual(4);
    expect(log).toHaveLength(snapshots.length);
    expect(table.current().totals.files).toBe(13);
  });

  it('exchanges files in one step and keeps the others', async () => {
    const files = await Promise.all(['a', 'b', 'c'].map(async (name) => fixture.addFile(name)));
    for (const [index, file] of files.entries()) {
      await table.append([file], { commitId: `c${index}` });
    }
    const remove = files.slice(0, 2).map((file) => file.key);
    const add = [await fixture.addFile('ab', 20)];
    const { snapshot } = await table.replace({ remove, add, commitId: 'compact' });
    expect(snapshot.totals).toEqual({ files: 2, rows: 30, bytes: 90 });
    expect(fileNames(table)).toEqual(['ab', 'c']);
    expect(
      (await fixture.openTable())
        .current()
        .files.map((file) => file.key)
        .sort(),
    ).toEqual(snapshot.files.map((file) => file.key).sort());
    expect((await readMetadata()).snapshots.at(-1)?.summary).toMatchObject({
      operation: 'replace',
      'added-records': '20',
      'deleted-records': '20',
    });
  });

  it('refuses a rewrite whose input another job removed', async () => {
    const file = await fixture.addFile('a');
    await table.append([file], { commitId: 'c1' });
    const other = await fixture.openTable({ nodeId: 'node-2' });
    await other.delete([file.key], { commitId: 'd1' });
    const rewrite = { remove: [file.key], add: [await fixture.addFile('b')], commitId: 'r1' };
    await expect(table.replace(rewrite)).rejects.toMatchObject({ code: 'storage_commit_conflict' });
    expect((await table.refresh()).files).toEqual([]);
  });

  it('refuses a compaction that loses a row, but lets an erasure', async () => {
    const file = await fixture.addFile('a', 10);
    await table.append([file], { commitId: 'c1' });
    const add = [await fixture.addFile('b', 9)];
    await expect(table.replace({ remove: [file.key], add, commitId: 'r1' })).rejects.toThrow(
      'every row',
    );
    await table.overwrite({ remove: [file.key], add, commitId: 'o1' });
    expect(table.current().totals.rows).toBe(9);
  });

  it('gives a commit up when its guard throws, at the last moment', async () => {
    const file = await fixture.addFile('a');
    await table.append([file], { commitId: 'c1' });
    const guard = async (): Promise<void> => {
      throw new Error('held');
    };
    await expect(table.delete([file.key], { commitId: 'd1', guard })).rejects.toThrow('held');
    expect(fileNames(await fixture.openTable())).toEqual(['a']);
    expect(await metadataNames(/avro$/)).toHaveLength(2);
  });

  it('drops manifests that list only deletions with the next commit', async () => {
    await table.append([await fixture.addFile('a')], { commitId: 'c1' });
    await table.delete([(await fixture.addFile('a')).key], { commitId: 'd1' });
    expect(await manifestCount()).toBe(1);
    await table.append([await fixture.addFile('b')], { commitId: 'c2' });
    expect(await manifestCount()).toBe(1);
  });

  it('keeps the number of manifests small however many files are appended', async () => {
    for (let index = 0; index < 140; index += 1) {
      await table.append([await fixture.addFile(`f${index}`)], { commitId: `c${index}` });
    }
    expect(await manifestCount()).toBeLessThan(40);
    expect((await fixture.openTable()).current().files).toHaveLength(140);
  });

  it('keeps the hint at the newest version, as digits alone', async () => {
    await table.append([await fixture.addFile('a')], { commitId: 'c1' });
    expect(await readFile(metadataPath('version-hint.text'), 'latin1')).toBe('2');
  });

  it.each([['missing'], ['1'], ['garbage'], ['99'], ['1\n']])(
    'finds the newest version with the hint %j, and repairs it',
    async (hint) => {
      for (const name of ['a', 'b', 'c']) {
        await table.append([await fixture.addFile(name)], { commitId: name });
      }
      await rm(metadataPath('version-hint.text'));
      if (hint !== 'missing') await writeFile(metadataPath('version-hint.text'), hint);
      table = await fixture.openTable();
      expect(table.current().version).toBe(4);
      if (hint === '99') await rm(metadataPath('version-hint.text'));
      await table.append([await fixture.addFile('d')], { commitId: 'd' });
      expect(await readFile(metadataPath('version-hint.text'), 'latin1')).toBe('5');
    },
  );

  it('goes on after a moved bucket, under its new paths', async () => {
    for (const name of ['a', 'b']) {
      await table.append([await fixture.addFile(name)], { commitId: name });
    }
    await table.delete([(await fixture.addFile('b')).key], { commitId: 'd' });
    const moved = `${fixture.root} moved`;
    await rename(fixture.root, moved);
    try {
      const store = await LocalObjectStore.open(moved);
      const [one, two] = await Promise.all([
        fixture.openTable({ store }),
        fixture.openTable({ store, nodeId: 'node-2' }),
      ]);
      expect(fileNames(one)).toEqual(['a']);
      expect(fileNames(two)).toEqual(['a']);
      expect(await one.hasCommit('b')).toBe(true);
      const text = await readFile(join(moved, one.current().metadataKey), 'utf8');
      expect(text).not.toContain(`${fixture.root}/`);
      const file = describeFile('c');
      await store.put(file.key, Buffer.alloc(file.stats.sizeBytes));
      await one.append([file], { commitId: 'c' });
      expect(await one.verify()).toEqual([]);
      expect(one.current().version).toBe(6);
    } finally {
      await rm(fixture.root, { recursive: true, force: true });
      await rename(moved, fixture.root);
      // Moved back: the next open corrects the paths again.
      table = await fixture.openTable();
    }
    expect(fileNames(table)).toEqual(['a', 'c']);
  });

  it('follows a snapshot of another engine with a 63-bit id', async () => {
    await table.append([await fixture.addFile('a')], { commitId: 'a' });
    const path = join(fixture.root, table.current().metadataKey);
    const id = '9007199254740993123';
    const foreign = (await readFile(path, 'utf8')).replaceAll(
      String(table.current().snapshotId),
      id,
    );
    const list = (await readMetadata()).snapshots.at(-1)?.['manifest-list'] ?? '';
    const renamed = list.replace(String(table.current().snapshotId), id).slice('file://'.length);
    await writeFile(renamed, await readFile(list.slice('file://'.length)));
    await writeFile(metadataPath('v3.metadata.json'), foreign);
    expect((await table.refresh()).snapshotId).toBe(BigInt(id));
    await table.append([await fixture.addFile('b')], { commitId: 'b' });
    const text = await readFile(join(fixture.root, table.current().metadataKey), 'utf8');
    expect(text).toContain(`"parent-snapshot-id":${id}`);
    expect(fileNames(await fixture.openTable())).toEqual(['a', 'b']);
  });
});

async function metadataNames(pattern: RegExp): Promise<string[]> {
  const names: string[] = [];
  for await (const { key } of fixture.store.list(`${TABLE_PREFIX}/metadata/`)) {
    if (pattern.test(key)) names.push(key);
  }
  return names;
}
