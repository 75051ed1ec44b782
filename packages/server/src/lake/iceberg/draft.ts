import { randomUUID } from 'node:crypto';
import { putUnique, type TableIo } from './io.ts';
import type { JsonInteger } from './json.ts';
import type { TableLayout } from './layout.ts';
import type { ManifestRow } from './manifest-list.ts';
import { encodeManifest, entryStatus, type ManifestEntry } from './manifest.ts';

/** A manifest in the store that becomes part of the table with the next commit. */
export interface DraftManifest {
  readonly key: string;
  readonly length: number;
  readonly entries: readonly ManifestEntry[];
}

/**
 * The manifests one commit has written so far. Lives through its attempts: after a lost race a manifest is
 * used again when it is made from the same inputs, since it does not depend on the version it lands in.
 */
export class DraftShelf {
  readonly snapshotId: JsonInteger;
  readonly #io: TableIo;
  readonly #byInputs = new Map<string, DraftManifest>();

  constructor(io: TableIo, snapshotId: JsonInteger) {
    this.#io = io;
    this.snapshotId = snapshotId;
  }

  async write(inputs: string, entries: () => readonly ManifestEntry[]): Promise<DraftManifest> {
    const shelved = this.#byInputs.get(inputs);
    if (shelved !== undefined) return shelved;
    const content = entries();
    const body = await encodeManifest(content, this.#io.layout);
    const key = `${this.#io.layout.prefix}/metadata/${randomUUID()}-m0.avro`;
    const draft = { key, length: body.byteLength, entries: content };
    // Also when the upload fails, which ends the commit: the clean-up has to know the name.
    this.#byInputs.set(inputs, draft);
    await putUnique(this.#io, key, body);
    return draft;
  }

  /** Keys of the manifests that did not become part of the table. */
  unused(committed: readonly DraftManifest[]): string[] {
    const used = new Set(committed.map((draft) => draft.key));
    return [...this.#byInputs.values()].map((draft) => draft.key).filter((key) => !used.has(key));
  }
}

/** The draft's row in the manifest list of the commit that adds it. */
export function toRow(
  layout: TableLayout,
  draft: DraftManifest,
  commit: { readonly snapshotId: JsonInteger; readonly sequenceNumber: number },
): ManifestRow {
  const files = [0, 0, 0];
  const rows = [0, 0, 0];
  let minSequenceNumber = commit.sequenceNumber;
  for (const { status, file, sequenceNumber } of draft.entries) {
    files[status] = (files[status] ?? 0) + 1;
    rows[status] = (rows[status] ?? 0) + file.stats.rows;
    if (status !== entryStatus.deleted && sequenceNumber !== undefined) {
      minSequenceNumber = Math.min(minSequenceNumber, sequenceNumber);
    }
  }
  return {
    path: layout.uriOf(draft.key),
    length: draft.length,
    sequenceNumber: commit.sequenceNumber,
    minSequenceNumber,
    addedSnapshotId: commit.snapshotId,
    addedFiles: files[entryStatus.added] ?? 0,
    existingFiles: files[entryStatus.existing] ?? 0,
    deletedFiles: files[entryStatus.deleted] ?? 0,
    addedRows: rows[entryStatus.added] ?? 0,
    existingRows: rows[entryStatus.existing] ?? 0,
    deletedRows: rows[entryStatus.deleted] ?? 0,
    keyMetadata: null,
  };
}
