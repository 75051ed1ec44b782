import type { ErrorCode } from '@varve/contract';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { rawEventsSchema } from '../columns/index.ts';
import type { SealedFile } from '../lake/index.ts';
import type { ClosedSegment } from '../wal/index.ts';
import { Freshness } from './freshness.ts';
import type { IngestReply, IngestRequest } from './protocol.ts';
import { SealQueue } from './seal-queue.ts';
import { SealedRemoval } from './sealed-removal.ts';
import type { StorageStart } from './storage.ts';
import { type PinnedFiles, type TableDelta, TableState } from './table-state.ts';

/** Log bytes as the ingest worker last reported them. */
export interface WalUsage {
  readonly segments: number;
  readonly bytes: number;
  /** Events are refused because the log cannot be written. */
  readonly isFailing: boolean;
}

/** What one request did, for the ledger of its listener. */
export interface IngestResult {
  readonly reply: IngestReply;
  readonly received: number;
  readonly stored: number;
  readonly deduplicated: number;
  readonly rejected: Readonly<Record<string, number>>;
  /** Set when the request failed as a whole before its events could be counted. */
  readonly requestError?: ErrorCode;
}

/** The ingest worker as the pipeline sees it. */
export interface IngestSide {
  submit(request: IngestRequest): Promise<IngestResult>;
  /** Closes the open segment if it holds events; it has been given to `onSegmentClosed` when this resolves. */
  rotate(): Promise<void>;
  removeSegment(segmentId: string): Promise<void>;
  close(): Promise<void>;
}

/** The storage worker as the pipeline sees it. */
export interface StorageSide {
  seal(segment: ClosedSegment): Promise<SealedFile>;
  markPublishable(segmentIds: readonly string[]): Promise<void>;
  removeSealed(segmentIds: readonly string[]): Promise<void>;
  flush(): Promise<{ lastError: string | undefined }>;
  close(): Promise<void>;
}

export interface PipelineOptions {
  readonly ingest: IngestSide;
  readonly storage: StorageSide;
  readonly start: StorageStart;
  /** Segments the log held at start. */
  readonly segments: readonly ClosedSegment[];
  readonly localPath: (key: string) => string;
  readonly unpublishedLimitBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The way of an event behind its acknowledgement, seen from the main thread: log → sealed file → bucket. It owns
 * the order of steps between the two workers and the view that queries pin.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #state: TableState;
  readonly #queue: SealQueue;
  readonly #freshness = new Freshness(() => this.#sealEverything());
  #wal: WalUsage = { segments: 0, bytes: 0, isFailing: false };
  readonly #removal: SealedRemoval;
  #publishError: string | undefined;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#state = new TableState({
      schema: rawEventsSchema,
      localPath: options.localPath,
      onReleasable: (segmentIds) => this.#removal.add(segmentIds),
    });
    this.#removal = new SealedRemoval({
      clock: options.clock,
      logger: options.logger,
      remove: (segmentIds) => options.storage.removeSealed(segmentIds),
    });
    this.#queue = new SealQueue({
      clock: options.clock,
      logger: options.logger,
      seal: (segment) => this.#seal(segment),
    });
  }

  /** Seals what the last run left in the log; everything acknowledged then is queryable afterwards. */
  async recover(onProgress: (sealed: number, total: number) => void): Promise<void> {
    const { start, segments, storage } = this.#options;
    for (const file of start.sealed) this.#state.addSealed(file);
    this.#state.apply(start.table);
    const inLog = new Set(segments.map((segment) => segment.segmentId));
    await storage.markPublishable(
      start.sealed.map((file) => file.segmentId).filter((segmentId) => !inLog.has(segmentId)),
    );
    let sealed = 0;
    for (const segment of segments) {
      onProgress(sealed++, segments.length);
      this.#queue.add(segment);
      await this.#queue.drained();
    }
  }

  /** Whether received-but-unpublished bytes leave room for more (spec section 8, back-pressure). */
  isAccepting(): boolean {
    return this.unpublishedBytes < this.#options.unpublishedLimitBytes;
  }

  get unpublishedBytes(): number {
    return this.#wal.bytes + this.#state.sealedTotals.bytes;
  }

  get unpublishedLimitBytes(): number {
    return this.#options.unpublishedLimitBytes;
  }

  get state(): TableState {
    return this.#state;
  }

  get wal(): WalUsage {
    return this.#wal;
  }

  /** Of sealing, publishing or removing, until it succeeds. */
  get lastError(): string | undefined {
    return this.#queue.lastError ?? this.#publishError ?? this.#removal.lastError;
  }

  submit(request: IngestRequest): Promise<IngestResult> {
    return this.#options.ingest.submit(request);
  }

  /** A view that contains every event acknowledged before the call. */
  async pin(): Promise<PinnedFiles> {
    await this.#freshness.ensure();
    return this.#state.pin();
  }

  onWalUsage(usage: WalUsage): void {
    this.#wal = usage;
  }

  onSegmentClosed(segment: ClosedSegment): void {
    this.#queue.add(segment);
  }

  onPublishAttempt(lastError: string | undefined): void {
    this.#publishError = lastError;
  }

  onTableChanged(delta: TableDelta): void {
    this.#state.apply(delta);
  }

  /**
   * Seals and publishes everything, then stops both workers. Nothing is submitted any more. What cannot be sealed or
   * published now stays on disk for the next start.
   */
  async drain(): Promise<void> {
    const { ingest, storage, logger } = this.#options;
    try {
      await this.#sealEverything();
    } catch (error) {
      logger.warn(
        { err: error },
        'stopped with unsealed events in the log; the next start seals them',
      );
    }
    const { lastError } = await storage.flush();
    if (lastError !== undefined) {
      logger.warn(
        { lastError },
        'stopped with unpublished events on disk; the next start publishes them',
      );
    }
    await this.#removal.finish();
    try {
      await ingest.close();
    } finally {
      await storage.close();
    }
  }

  async #sealEverything(): Promise<void> {
    await this.#options.ingest.rotate();
    await this.#queue.drained();
  }

  async #seal(segment: ClosedSegment): Promise<void> {
    const { ingest, storage } = this.#options;
    const file = await storage.seal(segment);
    this.#state.addSealed(file);
    await ingest.removeSegment(segment.segmentId);
    await storage.markPublishable([segment.segmentId]);
  }
}
