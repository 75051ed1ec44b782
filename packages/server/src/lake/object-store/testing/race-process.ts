import type { ObjectStore } from '../port.ts';
/** Test support: one contender of the races in `contract-tests.ts`, run as a process of its own. */
import type { StoreOpener } from './contract-tests.ts';

export type RaceTask =
  | { readonly kind: 'create'; readonly prefix: string; readonly count: number }
  | { readonly kind: 'count'; readonly key: string; readonly count: number };

export interface RaceReport {
  readonly won: readonly string[];
}

interface OpenerModule {
  readonly openStore: (argument: string) => Promise<ObjectStore>;
}

const [opener, task] = JSON.parse(process.argv[2] ?? '') as [StoreOpener, RaceTask];
const { openStore } = (await import(opener.module)) as OpenerModule;
const store = await openStore(opener.argument);
const won = task.kind === 'create' ? await createNames(task) : await countUp(task);
process.send?.({ won } satisfies RaceReport);

/** Takes the lowest free number `count` times, as commits do. */
async function createNames(create: Extract<RaceTask, { kind: 'create' }>): Promise<string[]> {
  const names: string[] = [];
  for (let number = 1; names.length < create.count; number += 1) {
    const key = `${create.prefix}${number}`;
    if ((await store.putIfAbsent(key, Buffer.from(String(process.pid)))) !== undefined) {
      names.push(key);
    }
  }
  return names;
}

/** Adds one to a number in a document `count` times. */
async function countUp(count: Extract<RaceTask, { kind: 'count' }>): Promise<string[]> {
  for (let done = 0; done < count.count;) {
    const current = await store.get(count.key);
    if (current === undefined) throw new Error('counter is gone');
    const next = Buffer.from(String(Number(Buffer.from(current.body).toString()) + 1));
    if ((await store.putIfMatch(count.key, next, current.etag)) !== undefined) done += 1;
  }
  return [];
}
