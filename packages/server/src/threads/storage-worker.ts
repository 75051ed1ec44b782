import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../base/assert.ts';
import { systemClock } from '../base/clock.ts';
import { nodeFileSystem } from '../base/node-file-system.ts';
import { RpcServer } from '../base/rpc.ts';
import { rawEventsSchema } from '../columns/index.ts';
import { LocalObjectStore } from '../lake/index.ts';
import { Storage } from '../pipeline/index.ts';
import { threadChannel } from './channel.ts';
import { mergeInProcess } from './merge-client.ts';
import type { StorageCalls, StorageEvents, StorageWorkerOptions } from './storage-protocol.ts';
import { workerLogger } from './worker-log.ts';

assert(parentPort !== null, 'the storage worker is a worker thread');
const options: StorageWorkerOptions = workerData;
const directory = join(options.dataDir, 'publish');
let storage: Storage | undefined;

function opened(): Storage {
  assert(storage !== undefined, 'open comes before any other call');
  return storage;
}

const server = new RpcServer<StorageCalls, StorageEvents>(threadChannel(parentPort), {
  async open({ dedupSeed }) {
    storage = await Storage.open({
      dataDir: options.dataDir,
      nodeId: options.nodeId,
      schema: rawEventsSchema,
      store: await LocalObjectStore.open(options.bucketDir),
      fileSystem: nodeFileSystem,
      clock: systemClock,
      logger: workerLogger(options.log, 'storage'),
      merge: ({ sources, target }) =>
        mergeInProcess({ sources, target, directory, memoryLimitBytes: options.mergeMemoryBytes }),
      dedupSeed,
      dedupWindowEvents: options.dedupWindowEvents,
      publishIntervalMs: options.publishIntervalMs,
      publishBytes: options.publishBytes,
      onTableChanged: (delta) => server.emit('tableChanged', delta),
      onPublishAttempt: (lastError) => server.emit('publishAttempted', { lastError }),
    });
    storage.keepTidy();
    return storage.start();
  },
  seal: (segment) => opened().seal(segment),
  markPublishable: (segmentIds) => opened().markPublishable(segmentIds),
  removeSealed: (segmentIds) => opened().removeSealed(segmentIds),
  async flush() {
    await opened().flush();
    return { lastError: opened().lastError };
  },
  close: () => opened().close(),
});
