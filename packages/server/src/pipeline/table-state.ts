import type { DataFile, SealedFile } from '../lake/index.ts';
import type { DataFileStats } from '../parquet/index.ts';

/** A file a query reads, wherever it lies. */
export interface ReadableFile {
  readonly path: string;
  readonly stats: DataFileStats;
}

/** One consistent view of the table; its files stay where they are until `release`. */
export interface PinnedFiles {
  readonly files: readonly ReadableFile[];
  release(): void;
}

/** A change of the committed file list; applied in one step together with the sealed files it contains. */
export interface TableDelta {
  readonly snapshotId: string | undefined;
  readonly added: readonly DataFile[];
  readonly removedKeys: readonly string[];
  /** Sealed files that are part of the snapshot from now on. */
  readonly publishedSegmentIds: readonly string[];
  readonly committedAtMs: number | undefined;
}

export interface TableTotals {
  readonly files: number;
  readonly events: number;
  readonly bytes: number;
}

/**
 * What queries of this node see of one table: the files of one snapshot plus the sealed files that snapshot does
 * not contain (invariant I5). A publish swaps both in one synchronous step, so an event is never seen twice or
 * not at all. A published sealed file is handed to `onReleasable` when the last query that pinned it is done.
 */
export class TableState {
  readonly #localPath: (key: string) => string;
  readonly #onReleasable: (segmentIds: readonly string[]) => void;
  readonly #committed = new Map<string, ReadableFile>();
  readonly #sealed = new Map<string, ReadableFile>();
  /** Segment id → number of pins; an entry only while pinned. */
  readonly #pins = new Map<string, number>();
  /** Published, but still pinned by a query that began before. */
  readonly #leaving = new Set<string>();
  #files: readonly ReadableFile[] | undefined;
  #snapshotId: string | undefined;
  #committedAtMs: number | undefined;

  constructor(options: {
    localPath: (key: string) => string;
    onReleasable: (segmentIds: readonly string[]) => void;
  }) {
    this.#localPath = options.localPath;
    this.#onReleasable = options.onReleasable;
  }

  get snapshotId(): string | undefined {
    return this.#snapshotId;
  }

  get lastCommitAtMs(): number | undefined {
    return this.#committedAtMs;
  }

  /** Of the snapshot, without sealed files. */
  get totals(): TableTotals {
    return totalsOf(this.#committed.values());
  }

  get sealedTotals(): TableTotals {
    return totalsOf(this.#sealed.values());
  }

  addSealed(file: SealedFile): void {
    this.#sealed.set(file.segmentId, { path: file.path, stats: file.stats });
    this.#files = undefined;
  }

  apply(delta: TableDelta): void {
    for (const key of delta.removedKeys) this.#committed.delete(key);
    for (const file of delta.added) {
      this.#committed.set(file.key, { path: this.#localPath(file.key), stats: file.stats });
    }
    for (const segmentId of delta.publishedSegmentIds) this.#sealed.delete(segmentId);
    this.#snapshotId = delta.snapshotId;
    this.#committedAtMs = delta.committedAtMs ?? this.#committedAtMs;
    this.#files = undefined;
    const pinned = delta.publishedSegmentIds.filter((segmentId) => this.#pins.has(segmentId));
    for (const segmentId of pinned) this.#leaving.add(segmentId);
    this.#release(delta.publishedSegmentIds.filter((segmentId) => !this.#pins.has(segmentId)));
  }

  pin(): PinnedFiles {
    this.#files ??= [...this.#committed.values(), ...this.#sealed.values()];
    const segmentIds = [...this.#sealed.keys()];
    for (const segmentId of segmentIds) {
      this.#pins.set(segmentId, (this.#pins.get(segmentId) ?? 0) + 1);
    }
    let isReleased = false;
    return {
      files: this.#files,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#unpin(segmentIds);
      },
    };
  }

  #unpin(segmentIds: readonly string[]): void {
    const releasable: string[] = [];
    for (const segmentId of segmentIds) {
      const pins = (this.#pins.get(segmentId) ?? 0) - 1;
      if (pins > 0) {
        this.#pins.set(segmentId, pins);
        continue;
      }
      this.#pins.delete(segmentId);
      if (this.#leaving.delete(segmentId)) releasable.push(segmentId);
    }
    this.#release(releasable);
  }

  #release(segmentIds: readonly string[]): void {
    if (segmentIds.length > 0) this.#onReleasable(segmentIds);
  }
}

function totalsOf(files: Iterable<ReadableFile>): TableTotals {
  let count = 0;
  let events = 0;
  let bytes = 0;
  for (const { stats } of files) {
    count++;
    events += stats.rows;
    bytes += stats.sizeBytes;
  }
  return { files: count, events, bytes };
}
