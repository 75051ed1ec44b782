import type {
  EventBuilderOptions,
  IngestRequest,
  IngestResult,
  WalUsage,
} from '../pipeline/index.ts';
import type { ClosedSegment } from '../wal/index.ts';
import type { WorkerLogOptions } from './worker-log.ts';

/** What the ingest worker is started with; plain data. */
export interface IngestWorkerOptions extends EventBuilderOptions {
  readonly dataDir: string;
  readonly dedupWindowEvents: number;
  readonly sealIntervalMs: number;
  readonly segmentMaxBytes: number;
  readonly bulkRejection: 'request' | 'items';
  readonly loki: { readonly dedup: boolean };
  readonly hec: { readonly ack: boolean; readonly idField: string | undefined };
  readonly gelf: { readonly maxMessageBytes: number; readonly idField: string | undefined };
  readonly log: WorkerLogOptions;
}

export type IngestCalls = {
  /** Replays the log; the segments are those that still have to be sealed, oldest first. */
  open: {
    argument: void;
    result: { segments: readonly ClosedSegment[]; usage: WalUsage; dedupSeed: Uint32Array };
  };
  submit: { argument: IngestRequest; result: IngestResult };
  /** The closed segment is announced by `segmentClosed` before this resolves. */
  rotate: { argument: void; result: void };
  removeSegment: { argument: string; result: void };
  close: { argument: void; result: void };
};

export type IngestEvents = {
  segmentClosed: ClosedSegment;
  walUsage: WalUsage;
};
