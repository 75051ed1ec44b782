/**
 * One event table in the bucket, as this node sees it.
 *
 * What it holds: the newest version of the table's Iceberg metadata that this node knows, with the decoded
 * manifests of its current snapshot. All durable state is in the bucket under `varve/<name>/`; see
 * `iceberg/commit.ts` for ordering, crashes and healing. Size bound: the manifests of one snapshot in memory.
 */
import { assert } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import type { TableSchema } from '../columns/index.ts';
import type { DataFile } from './data-file.ts';
import { assertCommitOrigin, hasCommit, hasSegment } from './iceberg/commit-ids.ts';
import { commitSnapshot, type CommitRequest } from './iceberg/commit.ts';
import type { TableIo, TableLogger } from './iceberg/io.ts';
import type { JsonInteger } from './iceberg/json.ts';
import { metadataKey, tableLayout } from './iceberg/layout.ts';
import { refreshState, type TableState } from './iceberg/load.ts';
import { ManifestCache, sumTotals } from './iceberg/manifest-cache.ts';
import { currentSnapshot } from './iceberg/metadata.ts';
import { openState } from './iceberg/open.ts';
import { planAppend, planRewrite } from './iceberg/plan.ts';
import type { SnapshotOperation, TableTotals } from './iceberg/summary.ts';
import { sweepTable, type SweepResult } from './iceberg/sweep.ts';
import { verifyTable } from './iceberg/verify.ts';
import type { ObjectStore } from './object-store/port.ts';

const MAX_SNAPSHOTS = 400;

export interface LakeTableOptions {
  readonly store: ObjectStore;
  readonly schema: TableSchema;
  /** Stable across restarts of a node, unique among nodes. */
  readonly nodeId: string;
  readonly clock: Clock;
  readonly logger?: TableLogger;
  /** Snapshots kept for time travel; the oldest are forgotten beyond it. */
  readonly maxSnapshots?: number;
}

/** One version of the table. Never changes: a query that holds it sees the same files to its end. */
export interface TableSnapshot {
  readonly version: number;
  /** Undefined while the table has never held a file. */
  readonly snapshotId: JsonInteger | undefined;
  readonly sequenceNumber: number;
  readonly timestampMs: number;
  readonly files: readonly DataFile[];
  readonly totals: TableTotals;
  /** Object-store key of the metadata file, for other engines. */
  readonly metadataKey: string;
}

export interface CommitOptions {
  /** The same id commits once, on whichever node and however often it is tried. */
  readonly commitId: string;
  /** WAL segments that become published with this commit, at most 256; see `hasSegment`. */
  readonly segmentIds?: readonly string[];
  /** Called immediately before the decisive write of every attempt; throwing gives the commit up. */
  readonly guard?: () => Promise<void>;
}

export interface RewriteOptions extends CommitOptions {
  /** Keys of files that are part of the table. */
  readonly remove: readonly string[];
  readonly add: readonly DataFile[];
}

export interface CommitResult {
  readonly snapshot: TableSnapshot;
  /** The table held this commit id already and nothing was done. */
  readonly isRepeated: boolean;
  /** More than one means other writers committed in between. */
  readonly attempts: number;
}

/**
 * Reads and commits one table. Safe for any number of nodes on one bucket; calls on one instance run one after
 * another. Commits throw `storage_unknown_outcome` when the store went out of reach at the decisive moment:
 * try again with the same commit id, which finds out.
 */
export class LakeTable {
  readonly #io: TableIo;
  readonly #options: LakeTableOptions;
  #state: TableState;
  #snapshot: TableSnapshot;
  #tail: Promise<unknown> = Promise.resolve();

  private constructor(io: TableIo, options: LakeTableOptions, state: TableState) {
    this.#io = io;
    this.#options = options;
    this.#state = state;
    this.#snapshot = toSnapshot(io, state);
  }

  /** Creates the table if there is none and rewrites its paths if the bucket was moved. Nodes may race. */
  static async open(options: LakeTableOptions): Promise<LakeTable> {
    const { store, schema, clock, logger } = options;
    const prefix = `varve/${schema.name}`;
    const layout = tableLayout({ prefix, location: store.uri(prefix), table: schema });
    const io = { store, layout, clock, logger, cache: new ManifestCache() };
    return new LakeTable(io, options, await openState(io, schema));
  }

  /** Where new data files of this table go, ending in `/`. */
  get dataPrefix(): string {
    return `${this.#io.layout.prefix}/data/`;
  }

  /** What the last call saw; costs nothing. */
  current(): TableSnapshot {
    return this.#snapshot;
  }

  /** The newest version; one small request when nothing changed, otherwise reads only new manifests. */
  async refresh(): Promise<TableSnapshot> {
    return this.#exclusive(async () => {
      this.#adopt(await refreshState(this.#io, this.#state));
      return this.#snapshot;
    });
  }

  /** Whether a commit took effect, also long after its snapshot expired. Looks at the newest version. */
  async hasCommit(commitId: string): Promise<boolean> {
    await this.refresh();
    return hasCommit(this.#state.metadata, commitId);
  }

  /** Whether one of the last commits of any node published this WAL segment. Looks at the newest version. */
  async hasSegment(segmentId: string): Promise<boolean> {
    await this.refresh();
    return hasSegment(this.#state.metadata, segmentId);
  }

  /** Everything that is wrong with the table as it is in the bucket, one sentence each; reads all of its metadata. */
  async verify(): Promise<string[]> {
    return verifyTable(this.#io);
  }

  /**
   * Deletes metadata that no version of the last `graceMs` needs, which must be longer than any query and at
   * least a day in production. Data files in the same position are returned, not deleted: whether they may go
   * is for holds to say, and an upload that was never committed may belong to a node that will still commit it.
   */
  async sweep(graceMs: number): Promise<SweepResult> {
    await this.refresh();
    return this.#exclusive(async () => sweepTable(this.#io, this.#state, graceMs));
  }

  /** Adds files that are already in the bucket. */
  async append(files: readonly DataFile[], options: CommitOptions): Promise<CommitResult> {
    assert(files.length > 0, 'an append needs a file');
    return this.#commit(options, (state, shelf) => planAppend(this.#io, state, { shelf, files }));
  }

  /**
   * Exchanges files for others that hold the same rows (compaction). Throws `storage_commit_conflict` when one
   * of them is no longer part of the table, as do the other two.
   */
  async replace(options: RewriteOptions): Promise<CommitResult> {
    return this.#rewrite('replace', options);
  }

  /** Exchanges files for others that hold fewer or changed rows (erasure). */
  async overwrite(options: RewriteOptions): Promise<CommitResult> {
    return this.#rewrite('overwrite', options);
  }

  /** Drops whole files (retention). The objects stay: older snapshots and running queries still read them. */
  async delete(keys: readonly string[], options: CommitOptions): Promise<CommitResult> {
    return this.#rewrite('delete', { ...options, remove: keys, add: [] });
  }

  async #rewrite(operation: SnapshotOperation, options: RewriteOptions): Promise<CommitResult> {
    const { remove, add } = options;
    assert(remove.length > 0, 'a rewrite needs a file to remove');
    return this.#commit(options, async (state, shelf) => {
      const plan = await planRewrite(this.#io, state, { shelf, operation, remove, add });
      if (operation === 'replace') {
        assert(sumTotals(add).rows === plan.delta.deleted.rows, 'a replace must keep every row');
      }
      return plan;
    });
  }

  async #commit(options: CommitOptions, plan: CommitRequest['plan']): Promise<CommitResult> {
    const { commitId, segmentIds = [], guard } = options;
    const origin = { nodeId: this.#options.nodeId, commitId, segmentIds };
    assertCommitOrigin(origin);
    const maxSnapshots = this.#options.maxSnapshots ?? MAX_SNAPSHOTS;
    return this.#exclusive(async () => {
      const outcome = await commitSnapshot(this.#io, this.#state, {
        origin,
        maxSnapshots,
        plan,
        ...(guard === undefined ? {} : { guard }),
      });
      this.#adopt(outcome.state);
      const { isRepeated, attempts } = outcome;
      return { snapshot: this.#snapshot, isRepeated, attempts };
    });
  }

  #adopt(state: TableState): void {
    if (state.version !== this.#state.version) {
      this.#io.cache.retain(state.rows);
      this.#snapshot = toSnapshot(this.#io, state);
    }
    this.#state = state;
  }

  /** Runs calls one after another: a table state and its cached manifests belong to one call at a time. */
  async #exclusive<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(action);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}

function toSnapshot(io: TableIo, state: TableState): TableSnapshot {
  const snapshot = currentSnapshot(state.metadata);
  return {
    version: state.version,
    snapshotId: snapshot?.['snapshot-id'],
    sequenceNumber: state.metadata['last-sequence-number'],
    timestampMs: state.metadata['last-updated-ms'],
    files: state.rows.flatMap((row) => io.cache.get(row).files),
    totals: state.totals,
    metadataKey: metadataKey(io.layout, state.version),
  };
}
