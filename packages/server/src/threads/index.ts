export type { IngestCalls, IngestEvents, IngestWorkerOptions } from './ingest-protocol.ts';
export type { StorageCalls, StorageEvents, StorageWorkerOptions } from './storage-protocol.ts';
export { WorkerThread, workerUrls } from './worker-thread.ts';
