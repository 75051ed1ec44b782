import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { NodeError } from '../../base/errors.ts';
import type { TableSchema } from '../../columns/index.ts';
import { parseJson, stringifyJson, type JsonInteger } from './json.ts';
import type { TableLayout } from './layout.ts';
import { lastColumnId, nameMapping } from './schema.ts';

const integer = z.union([z.int(), z.bigint()]);

const snapshotSchema = z.looseObject({
  'snapshot-id': integer,
  'parent-snapshot-id': integer.exactOptional(),
  'sequence-number': z.int(),
  'timestamp-ms': z.int(),
  'manifest-list': z.string(),
  summary: z.record(z.string(), z.string()),
  'schema-id': z.int().exactOptional(),
});

const metadataSchema = z.looseObject({
  'format-version': z.literal(2),
  'table-uuid': z.string(),
  location: z.string(),
  'last-sequence-number': z.int(),
  'last-updated-ms': z.int(),
  'last-column-id': z.int(),
  'current-schema-id': z.int(),
  schemas: z.array(
    z.looseObject({
      type: z.literal('struct').default('struct'),
      'schema-id': z.int(),
      fields: z.array(z.looseObject({ id: z.int() })),
    }),
  ),
  'default-spec-id': z.int(),
  'partition-specs': z.array(z.looseObject({ 'spec-id': z.int(), fields: z.array(z.unknown()) })),
  'last-partition-id': z.int(),
  'default-sort-order-id': z.int(),
  'sort-orders': z.array(z.looseObject({ 'order-id': z.int() })),
  properties: z.record(z.string(), z.string()).default({}),
  'current-snapshot-id': integer.default(-1),
  refs: z
    .record(z.string(), z.looseObject({ 'snapshot-id': integer, type: z.string() }))
    .default({}),
  snapshots: z.array(snapshotSchema).default([]),
  statistics: z.array(z.looseObject({ 'snapshot-id': integer })).default([]),
  'partition-statistics': z.array(z.looseObject({ 'snapshot-id': integer })).default([]),
  'snapshot-log': z
    .array(z.looseObject({ 'timestamp-ms': z.int(), 'snapshot-id': integer }))
    .default([]),
  'metadata-log': z
    .array(z.looseObject({ 'timestamp-ms': z.int(), 'metadata-file': z.string() }))
    .default([]),
});

/** Table metadata under its names in the file; members this node does not know are kept as they are. */
export type TableMetadata = z.infer<typeof metadataSchema>;
export type Snapshot = z.infer<typeof snapshotSchema>;

export const NO_SNAPSHOT = -1;

export function parseMetadata(body: Uint8Array): TableMetadata {
  try {
    return metadataSchema.parse(parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body)));
  } catch (error) {
    throw new NodeError('storage_corrupt_table', 'table metadata cannot be read', { cause: error });
  }
}

export function encodeMetadata(metadata: TableMetadata): Uint8Array {
  return Buffer.from(stringifyJson(metadata), 'utf8');
}

export function currentSnapshot(metadata: TableMetadata): Snapshot | undefined {
  const id = metadata['current-snapshot-id'];
  return id === NO_SNAPSHOT ? undefined : findSnapshot(metadata, id);
}

export function findSnapshot(metadata: TableMetadata, id: JsonInteger): Snapshot | undefined {
  return metadata.snapshots.findLast((snapshot) => snapshot['snapshot-id'] === id);
}

/** Version 1 of a table: no snapshots, the properties that keep other engines' maintenance away from it. */
export function emptyMetadata(
  table: TableSchema,
  layout: TableLayout,
  nowMs: number,
): TableMetadata {
  return {
    'format-version': 2,
    'table-uuid': randomUUID(),
    location: layout.location,
    'last-sequence-number': 0,
    'last-updated-ms': nowMs,
    'last-column-id': lastColumnId(table),
    'current-schema-id': layout.schema['schema-id'],
    schemas: [{ ...layout.schema, fields: layout.schema.fields.map((field) => ({ ...field })) }],
    'default-spec-id': 0,
    'partition-specs': [{ 'spec-id': 0, fields: [] }],
    'last-partition-id': 999,
    'default-sort-order-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    properties: {
      'write.format.default': 'parquet',
      'write.parquet.compression-codec': 'zstd',
      'write.metadata.previous-versions-max': '100',
      'gc.enabled': 'false',
      'schema.name-mapping.default': nameMapping(table),
    },
    'current-snapshot-id': NO_SNAPSHOT,
    refs: {},
    snapshots: [],
    statistics: [],
    'partition-statistics': [],
    'snapshot-log': [],
    'metadata-log': [],
  };
}

const METADATA_LOG_MAX = 100;

export interface SnapshotChange {
  readonly snapshot: Snapshot;
  readonly properties: Readonly<Record<string, string>>;
  /** URI of the metadata file this one follows. */
  readonly previousFile: string;
}

/** The metadata that makes a snapshot current. */
export function applySnapshot(base: TableMetadata, change: SnapshotChange): TableMetadata {
  const { snapshot, properties, previousFile } = change;
  const id = snapshot['snapshot-id'];
  const timestampMs = snapshot['timestamp-ms'];
  const logged = { 'timestamp-ms': base['last-updated-ms'], 'metadata-file': previousFile };
  return {
    ...base,
    'last-sequence-number': snapshot['sequence-number'],
    'last-updated-ms': timestampMs,
    properties,
    'current-snapshot-id': id,
    refs: { ...base.refs, main: { 'snapshot-id': id, type: 'branch' } },
    snapshots: [...base.snapshots, snapshot],
    'snapshot-log': [...base['snapshot-log'], { 'timestamp-ms': timestampMs, 'snapshot-id': id }],
    'metadata-log': [...base['metadata-log'], logged].slice(-METADATA_LOG_MAX),
  };
}

/**
 * Forgets the oldest snapshots once there are more than `max`, down to three quarters of it, so that it happens
 * every so many commits. Whatever a ref names stays.
 */
export function expireSnapshots(metadata: TableMetadata, max: number): TableMetadata {
  if (metadata.snapshots.length <= max) return metadata;
  const referenced = new Set(Object.values(metadata.refs).map((ref) => ref['snapshot-id']));
  const firstKept = metadata.snapshots.length - Math.ceil(max * 0.75);
  const snapshots = metadata.snapshots.filter(
    (snapshot, index) => index >= firstKept || referenced.has(snapshot['snapshot-id']),
  );
  const kept = new Set(snapshots.map((snapshot) => snapshot['snapshot-id']));
  const log = metadata['snapshot-log'];
  const lastDropped = log.findLastIndex((entry) => !kept.has(entry['snapshot-id']));
  return {
    ...metadata,
    snapshots,
    'snapshot-log': log.slice(lastDropped + 1),
    statistics: metadata.statistics.filter((item) => kept.has(item['snapshot-id'])),
    'partition-statistics': metadata['partition-statistics'].filter((item) =>
      kept.has(item['snapshot-id']),
    ),
  };
}
