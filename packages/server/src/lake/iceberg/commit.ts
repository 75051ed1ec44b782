/**
 * The commit loop of an Iceberg table without a catalog.
 *
 * What it writes, in this order: manifests and a manifest list under fresh names, then
 * `v<N+1>.metadata.json`, created exclusively (the commit), then the version hint.
 * Who writes: any number of nodes; of those that aim at one version exactly one wins and the others plan again
 * on what it left. A crash before the metadata file leaves only objects nothing refers to (the orphan sweep's);
 * a crash after it leaves a lagging hint, which readers bridge by probing and the next commit repairs.
 * Size bound: snapshots in the metadata by `maxSnapshots`, manifests by merging inside appends.
 */
import { randomUUID } from 'node:crypto';
import { NodeError } from '../../base/errors.ts';
import {
  COMMIT_ID_KEY,
  hasCommit,
  NODE_ID_KEY,
  recordCommit,
  type CommitOrigin,
} from './commit-ids.ts';
import { DraftShelf, toRow, type DraftManifest } from './draft.ts';
import { backOff, discard, putUnique, type TableIo } from './io.ts';
import { metadataKey } from './layout.ts';
import { isSnapshotPresent, refreshState, type TableState } from './load.ts';
import { encodeManifestList, type ManifestRow } from './manifest-list.ts';
import type { ManifestEntry } from './manifest.ts';
import { assertCommitInvariants } from './metadata-checks.ts';
import {
  applySnapshot,
  currentSnapshot,
  encodeMetadata,
  expireSnapshots,
  type TableMetadata,
} from './metadata.ts';
import type { SnapshotPlan } from './plan.ts';
import { publishVersion } from './publish-version.ts';
import { newSnapshotId } from './snapshot-id.ts';
import { applyDelta, buildSummary } from './summary.ts';
import { advanceHint } from './version-hint.ts';

const ATTEMPTS = 64;

export interface CommitRequest {
  readonly origin: CommitOrigin;
  readonly maxSnapshots: number;
  /** Called for every attempt; throwing gives the commit up. */
  plan(state: TableState, shelf: DraftShelf): Promise<SnapshotPlan>;
  /** Called immediately before the decisive write of every attempt; throwing gives the commit up. */
  guard?(): Promise<void>;
}

export interface CommitOutcome {
  readonly state: TableState;
  /** True when the table held the commit id before: nothing was done now. */
  readonly isRepeated: boolean;
  readonly attempts: number;
}

/** Commits one snapshot exactly once per commit id, however often it is called, on any node. */
export async function commitSnapshot(
  io: TableIo,
  state: TableState,
  request: CommitRequest,
): Promise<CommitOutcome> {
  const shelf = new DraftShelf(io, newSnapshotId());
  const lists: string[] = [];
  let base = state;
  let plan: SnapshotPlan | undefined;
  let isSettled = true;
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      base = await refreshState(io, base);
      if (hasCommit(base.metadata, request.origin.commitId)) {
        isSettled = !isSnapshotPresent(base.metadata, shelf.snapshotId);
        return { state: base, isRepeated: true, attempts: attempt };
      }
      const attempted = await request.plan(base, shelf);
      const draft = await draftVersion(io, { base, plan: attempted, shelf, request, attempt });
      lists.push(draft.listKey);
      await putUnique(io, draft.listKey, draft.list);
      await request.guard?.();
      isSettled = false;
      const isWon = await publishVersion(io, {
        version: base.version + 1,
        body: draft.body,
        snapshotId: shelf.snapshotId,
      });
      isSettled = true;
      if (isWon) {
        plan = attempted;
        lists.pop();
        return { state: adopt(io, base, draft), isRepeated: false, attempts: attempt };
      }
      await backOff(io.clock, Math.min(attempt - 1, 3));
    }
    throw new NodeError('storage_unavailable', 'other writers kept winning the commit', {
      details: { attempts: ATTEMPTS },
    });
  } catch (error) {
    if (!isSettled && !isUnknownOutcome(error)) isSettled = true;
    throw error;
  } finally {
    // What an unsettled commit wrote may be part of the table.
    if (isSettled) await discard(io, [...lists, ...shelf.unused(plan?.drafts ?? [])]);
    if (plan !== undefined) await advanceHint(io, base.version + 1);
  }
}

function isUnknownOutcome(error: unknown): boolean {
  return !(error instanceof NodeError) || error.code === 'storage_unknown_outcome';
}

interface VersionDraftParts {
  readonly metadata: TableMetadata;
  readonly body: Uint8Array;
  readonly listKey: string;
  readonly list: Uint8Array;
  readonly rows: readonly ManifestRow[];
  readonly newManifests: readonly { readonly row: ManifestRow; readonly draft: DraftManifest }[];
  readonly plan: SnapshotPlan;
}

interface DraftOptions {
  readonly base: TableState;
  readonly plan: SnapshotPlan;
  readonly shelf: DraftShelf;
  readonly request: CommitRequest;
  readonly attempt: number;
}

async function draftVersion(io: TableIo, options: DraftOptions): Promise<VersionDraftParts> {
  const { base, plan, shelf, request, attempt } = options;
  const { snapshotId } = shelf;
  const sequenceNumber = base.metadata['last-sequence-number'] + 1;
  const timestampMs = Math.max(io.clock.nowMs(), base.metadata['last-updated-ms'] + 1);
  const newManifests = plan.drafts.map((draft) => ({
    draft,
    row: toRow(io.layout, draft, { snapshotId, sequenceNumber }),
  }));
  const rows = [...newManifests.map(({ row }) => row), ...plan.kept];
  const parent = currentSnapshot(base.metadata)?.['snapshot-id'];
  const listKey = `${io.layout.prefix}/metadata/snap-${snapshotId}-${attempt}-${randomUUID()}.avro`;
  const snapshot = {
    'snapshot-id': snapshotId,
    ...(parent === undefined ? {} : { 'parent-snapshot-id': parent }),
    'sequence-number': sequenceNumber,
    'timestamp-ms': timestampMs,
    summary: {
      ...buildSummary(plan.operation, plan.delta, applyDelta(base.totals, plan.delta)),
      [COMMIT_ID_KEY]: request.origin.commitId,
      [NODE_ID_KEY]: request.origin.nodeId,
    },
    'manifest-list': io.layout.uriOf(listKey),
    'schema-id': base.metadata['current-schema-id'],
  };
  const applied = applySnapshot(base.metadata, {
    snapshot,
    properties: recordCommit(base.metadata.properties, request.origin, timestampMs),
    previousFile: io.layout.uriOf(metadataKey(io.layout, base.version)),
  });
  const metadata = expireSnapshots(applied, request.maxSnapshots);
  assertCommitInvariants(base.metadata, metadata, { rows, location: io.layout.location });
  const list = await encodeManifestList(
    { snapshotId, parentSnapshotId: parent, sequenceNumber },
    rows,
  );
  return { metadata, body: encodeMetadata(metadata), listKey, list, rows, newManifests, plan };
}

/** The state after our own commit, without reading anything back. */
function adopt(io: TableIo, base: TableState, draft: VersionDraftParts): TableState {
  for (const { row, draft: manifest } of draft.newManifests) {
    io.cache.remember(
      row,
      manifest.entries.map((entry) => inherit(entry, row)),
    );
  }
  return {
    version: base.version + 1,
    metadata: draft.metadata,
    rows: draft.rows,
    totals: applyDelta(base.totals, draft.plan.delta),
    verifiedAtMs: io.clock.nowMs(),
  };
}

function inherit(entry: ManifestEntry, row: ManifestRow): ManifestEntry {
  if (entry.sequenceNumber !== undefined) return entry;
  const { sequenceNumber } = row;
  return { ...entry, sequenceNumber, fileSequenceNumber: sequenceNumber };
}
