import type { SealedFile } from '../lake/index.ts';
import type { StorageStart, TableDelta } from '../pipeline/index.ts';
import type { ClosedSegment } from '../wal/index.ts';
import type { WorkerLogOptions } from './worker-log.ts';

/** What the storage worker is started with; plain data. */
export interface StorageWorkerOptions {
  readonly dataDir: string;
  readonly nodeId: string;
  readonly bucketDir: string;
  readonly dedupWindowEvents: number;
  readonly publishIntervalMs: number;
  readonly publishBytes: number;
  readonly mergeMemoryBytes: number;
  readonly log: WorkerLogOptions;
}

export type StorageCalls = {
  open: { argument: { dedupSeed: Uint32Array }; result: StorageStart };
  seal: { argument: ClosedSegment; result: SealedFile };
  markPublishable: { argument: readonly string[]; result: void };
  removeSealed: { argument: readonly string[]; result: void };
  flush: { argument: void; result: { lastError: string | undefined } };
  close: { argument: void; result: void };
};

export type StorageEvents = {
  tableChanged: TableDelta;
  publishAttempted: { lastError: string | undefined };
};
