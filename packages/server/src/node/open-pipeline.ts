import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import type { NodeError } from '../base/errors.ts';
import type { Config } from '../config/index.ts';
import { Pipeline } from '../pipeline/index.ts';
import type { Logger } from '../telemetry/index.ts';
import {
  type IngestCalls,
  type IngestEvents,
  type IngestWorkerOptions,
  type StorageCalls,
  type StorageEvents,
  type StorageWorkerOptions,
  WorkerThread,
  workerUrls,
} from '../threads/index.ts';

/** A segment this big is closed whatever its age: what sealing holds in memory is a small multiple of it. */
const segmentMaxBytes = 64 * 1024 * 1024;
/** What one request may become as columns; a hundred times the size of any sensible batch. */
const maxBatchBytes = 256 * 1024 * 1024;
const unpublishedMaxBytes = 8 * 1024 ** 3;
const unpublishedFreeShare = 0.8;
const mergeMemoryMaxBytes = 384 * 1024 ** 2;

export interface OpenPipelineOptions {
  readonly config: Config;
  readonly nodeId: string;
  readonly logger: Logger;
  readonly onProgress: (sealed: number, total: number) => void;
  /** A worker ended by itself: the node cannot go on. */
  readonly onFailure: (error: NodeError) => void;
}

export interface OpenedPipeline {
  readonly pipeline: Pipeline;
  /** Ends both workers; what is on disk stays for the next start. */
  terminate(): Promise<void>;
}

/** Starts both workers and recovers: everything acknowledged by an earlier run is queryable afterwards. */
export async function openPipeline(options: OpenPipelineOptions): Promise<OpenedPipeline> {
  const { config, logger, onFailure } = options;
  const ingest = new WorkerThread<IngestCalls, IngestEvents>({
    url: workerUrls.ingest,
    data: ingestOptions(config),
    name: 'ingest',
    onFailure,
  });
  const storage = new WorkerThread<StorageCalls, StorageEvents>({
    url: workerUrls.storage,
    data: storageOptions(options),
    name: 'storage',
    onFailure,
  });
  const terminate = async (): Promise<void> => {
    await Promise.all([ingest.terminate(), storage.terminate()]);
  };
  try {
    const { segments, usage, dedupSeed } = await ingest.rpc.call('open', undefined);
    const start = await storage.rpc.call('open', { dedupSeed });
    const sealedBytes = start.sealed.reduce((sum, { stats }) => sum + stats.sizeBytes, 0);
    const unpublishedBytes = usage.bytes + sealedBytes;
    const pipeline = new Pipeline({
      ingest: ingestSide(ingest),
      storage: storageSide(storage),
      start,
      segments,
      localPath: (key) => join(config.storage.bucket.path, key),
      unpublishedLimitBytes: await unpublishedLimit(config.dataDir, unpublishedBytes),
      clock: systemClock,
      logger,
    });
    pipeline.onWalUsage(usage);
    ingest.rpc.on('walUsage', (latest) => pipeline.onWalUsage(latest));
    ingest.rpc.on('segmentClosed', (segment) => pipeline.onSegmentClosed(segment));
    storage.rpc.on('tableChanged', (delta) => pipeline.onTableChanged(delta));
    storage.rpc.on('publishAttempted', ({ lastError }) => pipeline.onPublishAttempt(lastError));
    await pipeline.recover(options.onProgress);
    return { pipeline, terminate };
  } catch (error) {
    await terminate();
    throw error;
  }
}

function ingestOptions(config: Config): IngestWorkerOptions {
  const { ingest, storage, log } = config;
  return {
    dataDir: config.dataDir,
    limits: {
      maxEventBytes: ingest.maxEventBytes,
      maxAttributes: ingest.maxAttrsPerEvent,
      maxBatchBytes: Math.max(maxBatchBytes, ingest.maxEventBytes),
    },
    timestamps: {
      maxFutureSecs: ingest.maxFutureSkewSecs,
      maxAgeSecs: ingest.maxEventAgeSecs,
      action: ingest.timestampAction,
    },
    dimensions: ingest.dimensions,
    dedupWindowEvents: ingest.dedupWindowEvents,
    sealIntervalMs: storage.sealIntervalMs,
    segmentMaxBytes,
    bulkRejection: ingest.bulk.rejection,
    loki: { dedup: ingest.loki.dedup === 'on' },
    hec: { ack: ingest.hec.ack === 'on', idField: ingest.hec.idField },
    gelf: { maxMessageBytes: ingest.gelf.maxMessageBytes, idField: ingest.gelf.idField },
    log,
  };
}

function storageOptions({ config, nodeId }: OpenPipelineOptions): StorageWorkerOptions {
  const { storage, ingest, log } = config;
  return {
    dataDir: config.dataDir,
    nodeId,
    bucketDir: storage.bucket.path,
    dedupWindowEvents: ingest.dedupWindowEvents,
    publishIntervalMs: storage.publishIntervalSeconds * 1000,
    publishBytes: storage.publishBytes,
    mergeMemoryBytes: Math.min(mergeMemoryMaxBytes, Math.floor(totalmem() / 8)),
    log,
  };
}

function ingestSide({ rpc }: WorkerThread<IngestCalls, IngestEvents>) {
  return {
    submit: (request: IngestCalls['submit']['argument']) =>
      rpc.call('submit', request, transferable(request.body)),
    rotate: () => rpc.call('rotate', undefined),
    removeSegment: (segmentId: string) => rpc.call('removeSegment', segmentId),
    close: () => rpc.call('close', undefined),
  };
}

/** A body that owns its memory is handed over; one that is part of something larger is copied. */
function transferable(body: Uint8Array): ArrayBuffer[] {
  const { buffer } = body;
  return buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength ? [buffer] : [];
}

function storageSide({ rpc }: WorkerThread<StorageCalls, StorageEvents>) {
  return {
    seal: (segment: StorageCalls['seal']['argument']) => rpc.call('seal', segment),
    markPublishable: (segmentIds: readonly string[]) => rpc.call('markPublishable', segmentIds),
    removeSealed: (segmentIds: readonly string[]) => rpc.call('removeSealed', segmentIds),
    flush: () => rpc.call('flush', undefined),
    close: () => rpc.call('close', undefined),
  };
}

/**
 * Fixed by the product, not by configuration (spec section 8). What an earlier run left unpublished counts as free
 * space: it is what the limit is about.
 */
async function unpublishedLimit(dataDir: string, unpublishedBytes: number): Promise<number> {
  const { bavail, bsize } = await statfs(dataDir);
  const availableBytes = bavail * bsize + unpublishedBytes;
  return Math.min(unpublishedMaxBytes, Math.floor(availableBytes * unpublishedFreeShare));
}
