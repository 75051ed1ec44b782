/** Test support: opens the local store from another process. */
import { LocalObjectStore } from '../local.ts';
import type { ObjectStore } from '../port.ts';

export async function openStore(root: string): Promise<ObjectStore> {
  return LocalObjectStore.open(root);
}
