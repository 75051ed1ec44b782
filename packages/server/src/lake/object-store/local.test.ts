import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalObjectStore } from './local.ts';
import {
  registerObjectStoreRaceTests,
  registerObjectStoreTests,
  type SharedStoreFixture,
} from './testing/contract-tests.ts';

const GONE_PID = 2 ** 22 + 1;

const createFixture = async (): Promise<SharedStoreFixture> => {
  const root = await mkdtemp(join(tmpdir(), 'local-store-'));
  return {
    store: await LocalObjectStore.open(root),
    opener: { module: new URL('./testing/local-opener.ts', import.meta.url).href, argument: root },
    [Symbol.asyncDispose]: async () => rm(root, { recursive: true, force: true }),
  };
};

registerObjectStoreTests('LocalObjectStore', createFixture);
registerObjectStoreRaceTests('LocalObjectStore', createFixture);

describe('LocalObjectStore', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'local-store-'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  it('writes URIs that readers can use as paths as they are', async () => {
    const store = await LocalObjectStore.open(join(root, 'a b', 'ü'));
    expect(store.uri('x/y')).toBe(`file://${root}/a b/ü/x/y`);
    await store.put('x/y', Buffer.from('z'));
    expect(await readFile(store.localPath('x/y'), 'utf8')).toBe('z');
  });

  it('sweeps staging files of processes that are gone and keeps those of live ones', async () => {
    await LocalObjectStore.open(root);
    const staging = join(root, '.varve', 'staging');
    await writeFile(join(staging, `${GONE_PID}-left`), 'x');
    await writeFile(join(staging, `${process.pid}-mine`), 'x');
    const store = await LocalObjectStore.open(root);
    expect(await readdir(staging)).toEqual([`${process.pid}-mine`]);
    const listed = [];
    for await (const { key } of store.list('')) listed.push(key);
    expect(listed).toEqual([]);
  });

  it('leaves no staging files behind, whatever the outcome', async () => {
    const store = await LocalObjectStore.open(root);
    const { etag } = await store.put('k', Buffer.from('1'));
    await store.putIfAbsent('k', Buffer.from('2'));
    await store.putIfMatch('k', Buffer.from('3'), etag);
    await store.putIfMatch('k', Buffer.from('4'), etag);
    await expect(store.put('k/below-a-file', Buffer.from('5'))).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    expect(await readdir(join(root, '.varve', 'staging'))).toEqual([]);
  });

  it('takes the lock over from a process that is gone', async () => {
    const locks = join(root, '.varve', 'lock');
    await mkdir(locks, { recursive: true });
    await symlink(JSON.stringify({ host: hostname(), pid: GONE_PID }), join(locks, '7'));
    const store = await LocalObjectStore.open(root);
    await store.put('k', Buffer.from('1'));
    expect(await readdir(locks)).toContain('8.free');
  });

  it('waits for the lock of a live process', async () => {
    const locks = join(root, '.varve', 'lock');
    await mkdir(locks, { recursive: true });
    await symlink(JSON.stringify({ host: hostname(), pid: process.pid }), join(locks, '3'));
    const store = await LocalObjectStore.open(root);
    let isDone = false;
    const put = store.put('k', Buffer.from('1')).then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(isDone).toBe(false);
    await rm(join(locks, '3'));
    await symlink('released', join(locks, '3.free'));
    await put;
    expect(await readdir(locks)).toContain('4.free');
  });

  it('keeps the number of lock generations bounded', async () => {
    const store = await LocalObjectStore.open(root);
    for (let index = 0; index < 60; index += 1) await store.put('k', Buffer.from(String(index)));
    expect((await readdir(join(root, '.varve', 'lock'))).length).toBeLessThan(20);
  });

  it('tells replaced large files apart even with equal size and time', async () => {
    const store = await LocalObjectStore.open(root);
    const first = await store.put('big', Buffer.alloc(100_000, 1));
    await utimes(store.localPath('big'), 1_000, 1_000);
    const touched = await store.head('big');
    expect(touched?.etag).not.toBe(first.etag);
    await store.put('big', Buffer.alloc(100_000, 2));
    await utimes(store.localPath('big'), 1_000, 1_000);
    expect((await store.head('big'))?.etag).not.toBe(touched?.etag);
  });
});
