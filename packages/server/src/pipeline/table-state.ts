import type { TableSchema } from '../columns/index.ts';
import { type DataFile, FileCatalog, type FileView, type SealedFile } from '../lake/index.ts';

/** One consistent view of the table; its files stay where they are until `release`. */
export interface PinnedFiles {
  readonly files: FileView;
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
  readonly #catalog: FileCatalog;
  /** Paths by segment id. */
  readonly #sealed = new Map<string, string>();
  readonly #totals = new Totals();
  readonly #sealedTotals = new Totals();
  /** Segment id → number of pins; an entry only while pinned. */
  readonly #pins = new Map<string, number>();
  /** Published, but still pinned by a query that began before. */
  readonly #leaving = new Set<string>();
  #snapshotId: string | undefined;
  #committedAtMs: number | undefined;

  constructor(options: {
    schema: TableSchema;
    localPath: (key: string) => string;
    onReleasable: (segmentIds: readonly string[]) => void;
  }) {
    this.#catalog = new FileCatalog(options.schema);
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
    return this.#totals.value;
  }

  get sealedTotals(): TableTotals {
    return this.#sealedTotals.value;
  }

  addSealed({ segmentId, path, stats }: SealedFile): void {
    this.#sealed.set(segmentId, path);
    this.#add({ path, stats }, this.#sealedTotals);
  }

  apply(delta: TableDelta): void {
    for (const key of delta.removedKeys) this.#remove(this.#localPath(key), this.#totals);
    for (const { key, stats } of delta.added) {
      this.#add({ path: this.#localPath(key), stats }, this.#totals);
    }
    for (const segmentId of delta.publishedSegmentIds) {
      const path = this.#sealed.get(segmentId);
      if (path !== undefined) this.#remove(path, this.#sealedTotals);
      this.#sealed.delete(segmentId);
    }
    this.#snapshotId = delta.snapshotId;
    this.#committedAtMs = delta.committedAtMs ?? this.#committedAtMs;
    const pinned = delta.publishedSegmentIds.filter((segmentId) => this.#pins.has(segmentId));
    for (const segmentId of pinned) this.#leaving.add(segmentId);
    this.#release(delta.publishedSegmentIds.filter((segmentId) => !this.#pins.has(segmentId)));
  }

  pin(): PinnedFiles {
    const files = this.#catalog.view();
    const segmentIds = [...this.#sealed.keys()];
    for (const segmentId of segmentIds) {
      this.#pins.set(segmentId, (this.#pins.get(segmentId) ?? 0) + 1);
    }
    let isReleased = false;
    return {
      files,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#unpin(segmentIds);
      },
    };
  }

  #add(file: { path: string; stats: DataFile['stats'] }, totals: Totals): void {
    this.#remove(file.path, totals);
    this.#catalog.add(file);
    totals.add(file.stats);
  }

  #remove(path: string, totals: Totals): void {
    const removed = this.#catalog.remove(path);
    if (removed !== undefined) totals.remove(removed);
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

type Counted = Pick<DataFile['stats'], 'rows' | 'sizeBytes'>;

/** Kept up to date rather than added up: health and metrics ask often, and a table can have many files. */
class Totals {
  #files = 0;
  #events = 0;
  #bytes = 0;

  get value(): TableTotals {
    return { files: this.#files, events: this.#events, bytes: this.#bytes };
  }

  add({ rows, sizeBytes }: Counted): void {
    this.#files += 1;
    this.#events += rows;
    this.#bytes += sizeBytes;
  }

  remove({ rows, sizeBytes }: Counted): void {
    this.#files -= 1;
    this.#events -= rows;
    this.#bytes -= sizeBytes;
  }
}
