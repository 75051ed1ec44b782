import { isDeepStrictEqual } from 'node:util';
import { NodeError } from '../../base/errors.ts';
import type { TableSchema } from '../../columns/index.ts';
import type { TableIo } from './io.ts';
import { tableLayout } from './layout.ts';
import { findVersion, loadState, readVersion, type TableState } from './load.ts';
import { emptyMetadata, encodeMetadata, type TableMetadata } from './metadata.ts';
import { publishVersion } from './publish-version.ts';
import { relocateTable } from './relocate.ts';
import { icebergSchema, type IcebergField } from './schema.ts';
import { advanceHint } from './version-hint.ts';

const ATTEMPTS = 8;

/** Loads a table, creating it or correcting its location first where needed; nodes may race to do so. */
export async function openState(io: TableIo, table: TableSchema): Promise<TableState> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const version = await findVersion(io);
    if (version === undefined) {
      await createTable(io, table);
      continue;
    }
    const metadata = await readVersion(io, version);
    assertSchema(metadata, table);
    if (metadata.location === io.layout.location) return loadState(io, version, metadata);
    const { location } = metadata;
    const from = tableLayout({ prefix: io.layout.prefix, location, table });
    await relocateTable(io, { version, metadata, from });
  }
  throw new NodeError('storage_unavailable', 'the table could not be opened', {
    internal: { location: io.layout.location },
  });
}

async function createTable(io: TableIo, table: TableSchema): Promise<void> {
  const metadata = emptyMetadata(table, io.layout, io.clock.nowMs());
  const body = encodeMetadata(metadata);
  await publishVersion(io, { version: 1, body, snapshotId: undefined });
  await advanceHint(io, 1);
}

/** Every column this node writes must be in the table under the same id, name and type. */
function assertSchema(metadata: TableMetadata, table: TableSchema): void {
  const current = metadata.schemas.find(
    (schema) => schema['schema-id'] === metadata['current-schema-id'],
  );
  const stored = new Map(current?.fields.map((field) => [field.id, pick(field)]));
  for (const field of icebergSchema(table).fields) {
    if (!isDeepStrictEqual(stored.get(field.id), pick(field))) {
      throw new NodeError('storage_corrupt_table', 'the table has another schema than this node', {
        details: { table: table.name, column: field.name },
      });
    }
  }
}

function pick(field: Partial<IcebergField>): object {
  const { id, name, type } = field;
  return { id, name, type };
}
