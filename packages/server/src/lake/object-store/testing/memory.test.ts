import { registerObjectStoreTests } from './contract-tests.ts';
import { MemoryObjectStore } from './memory.ts';

registerObjectStoreTests('MemoryObjectStore', async () => ({
  store: new MemoryObjectStore(),
  [Symbol.asyncDispose]: async () => undefined,
}));
