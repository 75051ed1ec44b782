/** Test support: what every `ObjectStore` must do. Not part of the server. */
import { fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ObjectStore } from '../port.ts';
import type { RaceReport, RaceTask } from './race-process.ts';

export interface StoreFixture {
  readonly store: ObjectStore;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface SharedStoreFixture extends StoreFixture {
  /** Tells another process how to open the same store; see `race-process.ts`. */
  readonly opener: StoreOpener;
}

/** A module that exports `openStore(argument)`, so that other processes can open the store under test. */
export interface StoreOpener {
  readonly module: string;
  readonly argument: string;
}

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (body: Uint8Array | undefined): string | undefined =>
  body === undefined ? undefined : Buffer.from(body).toString();

async function listKeys(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

/** Runs the contract for one implementation; `create` gives an empty store for every test. */
export function registerObjectStoreTests(name: string, create: () => Promise<StoreFixture>): void {
  describe(`${name} as an object store`, () => {
    let fixture: StoreFixture;

    beforeEach(async () => {
      fixture = await create();
    });

    afterEach(async () => {
      await fixture[Symbol.asyncDispose]();
    });

    registerReadTests(() => fixture);
    registerWriteTests(() => fixture);
    registerKeyTests(() => fixture);
  });
}

function registerReadTests(current: () => StoreFixture): void {
  it('returns what was put, with the same etag from every call', async () => {
    const { store } = current();
    const put = await store.put('a/b.txt', bytes('hello'));
    const got = await store.get('a/b.txt');
    expect(text(got?.body)).toBe('hello');
    expect(got?.etag).toBe(put.etag);
    expect(await store.head('a/b.txt')).toEqual({ etag: put.etag, size: 5 });
    for await (const listed of store.list('a/')) {
      expect(listed).toMatchObject({ key: 'a/b.txt', etag: put.etag, size: 5 });
      expect(listed.lastModifiedMs).toBeGreaterThan(0);
    }
  });

  it('keeps large objects and their etags apart', async () => {
    const { store } = current();
    const first = await store.put('big', Buffer.alloc(300_000, 1));
    expect(await store.head('big')).toEqual(first);
    const second = await store.put('big', Buffer.alloc(300_000, 2));
    expect(second.etag).not.toBe(first.etag);
    expect((await store.get('big'))?.etag).toBe(second.etag);
  });

  it('answers undefined for what is not there', async () => {
    const { store } = current();
    expect(await store.get('none')).toBeUndefined();
    expect(await store.head('none/deeper')).toBeUndefined();
    expect(await listKeys(store, 'none/')).toEqual([]);
  });

  it('reads exact ranges and refuses those beyond the end', async () => {
    const { store } = current();
    await store.put('range', bytes('0123456789'));
    expect(text(await store.getRange('range', 3, 4))).toBe('3456');
    await expect(store.getRange('range', 8, 3)).rejects.toMatchObject({
      code: 'storage_short_read',
    });
    await expect(store.getRange('absent', 0, 1)).rejects.toMatchObject({
      code: 'storage_object_missing',
    });
  });
}

function registerWriteTests(current: () => StoreFixture): void {
  it('uploads a file and leaves the source as it was', async () => {
    const { store } = current();
    const scratch = await mkdtemp(join(tmpdir(), 'object-store-'));
    const source = join(scratch, 'source');
    await writeFile(source, 'file content');
    const put = await store.putFile('data/x.bin', source);
    expect(put.size).toBe(12);
    // Again, as after an answer that was lost.
    await store.putFile('data/x.bin', source);
    await rm(scratch, { recursive: true });
    expect(text((await store.get('data/x.bin'))?.body)).toBe('file content');
    expect(await listKeys(store, '')).toEqual(['data/x.bin']);
  });

  it('creates exclusively', async () => {
    const { store } = current();
    const created = await store.putIfAbsent('once', bytes('first'));
    expect(created).toEqual(await store.head('once'));
    expect(await store.putIfAbsent('once', bytes('second'))).toBeUndefined();
    expect(text((await store.get('once'))?.body)).toBe('first');
  });

  it('replaces only while the etag is current', async () => {
    const { store } = current();
    const first = await store.put('doc', bytes('1'));
    const second = await store.putIfMatch('doc', bytes('2'), first.etag);
    expect(second?.etag).not.toBe(first.etag);
    expect(await store.putIfMatch('doc', bytes('3'), first.etag)).toBeUndefined();
    expect(text((await store.get('doc'))?.body)).toBe('2');
    await store.delete('doc');
    expect(await store.putIfMatch('doc', bytes('4'), second?.etag ?? '')).toBeUndefined();
    expect(await store.get('doc')).toBeUndefined();
  });

  it('deletes, and counts an absent object as deleted', async () => {
    const { store } = current();
    await store.put('gone', bytes('x'));
    await store.delete('gone');
    await store.delete('gone');
    await store.delete('never/was');
    expect(await store.head('gone')).toBeUndefined();
  });

  it('lets one of many concurrent creates win', async () => {
    const { store } = current();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.putIfAbsent('race', bytes(String(index)))),
    );
    expect(results.filter((result) => result !== undefined)).toHaveLength(1);
  });
}

function registerKeyTests(current: () => StoreFixture): void {
  it('lists below a prefix in key order', async () => {
    const { store } = current();
    const keys = ['p/a/y', 'p/a-b/x', 'p/b', 'p/é', 'p/z/1/2', 'q/1', 'p0'];
    for (const key of keys) await store.put(key, bytes(key));
    expect(await listKeys(store, 'p/')).toEqual(['p/a-b/x', 'p/a/y', 'p/b', 'p/z/1/2', 'p/é']);
    expect((await listKeys(store, '')).length).toBe(7);
  });

  it.each(['', '/a', 'a//b', 'a/', '../a', 'a/../b', 'a/./b', '.varve/x', 'a\\b', 'a\u0000'])(
    'refuses the key %j',
    async (key) => {
      const { store } = current();
      const refusal = { code: 'storage_invalid_key' };
      await expect(async () => store.put(key, bytes('x'))).rejects.toMatchObject(refusal);
      await expect(async () => store.get(key)).rejects.toMatchObject(refusal);
    },
  );
}

/** Runs the part of the contract that concerns several processes on one store. */
export function registerObjectStoreRaceTests(
  name: string,
  create: () => Promise<SharedStoreFixture>,
): void {
  describe(`${name} shared by processes`, () => {
    it('gives every name to one of several processes', { timeout: 60_000 }, async () => {
      await using fixture = await create();
      const { store } = fixture;
      const reports = await race(fixture.opener, 8, { kind: 'create', prefix: 'v/', count: 25 });
      const won = reports.flatMap((report) => report.won);
      expect(won).toHaveLength(200);
      expect(new Set(won).size).toBe(200);
      expect(await listKeys(store, 'v/')).toHaveLength(200);
    });

    it('loses no conditional replacement between processes', { timeout: 60_000 }, async () => {
      await using fixture = await create();
      const { store } = fixture;
      await store.put('counter', bytes('0'));
      const reports = await race(fixture.opener, 4, { kind: 'count', key: 'counter', count: 25 });
      expect(reports).toHaveLength(4);
      expect(text((await store.get('counter'))?.body)).toBe('100');
    });
  });
}

async function race(opener: StoreOpener, processes: number, task: RaceTask): Promise<RaceReport[]> {
  const script = new URL('./race-process.ts', import.meta.url);
  return Promise.all(
    Array.from({ length: processes }, async () => runProcess(script, [opener, task])),
  );
}

/** Runs a script in a process of its own and returns the one message it sends. */
export async function runProcess<T>(script: URL, input: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const child = fork(script, [JSON.stringify(input)], { execArgv: [] });
    let report: T | undefined;
    child.on('message', (message) => {
      report = message as T;
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === 0 && report !== undefined) resolve(report);
      else reject(new Error(`${script.pathname} ended with ${code}`));
    });
  });
}
