/** A `raw_events` table of small Parquet files with every kind of commit, and what any reader must find in it. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { systemClock } from '../../src/base/clock.ts';
import { rawEventsSchema } from '../../src/columns/index.ts';
import {
  LakeTable,
  LocalObjectStore,
  type ColumnStats,
  type DataFile,
} from '../../src/lake/index.ts';

const FILES = 70;
const ROWS = 40;
const START_NS = 1_760_000_000_000_000_000n;
const SERVICES = [
  'checkout',
  'Zahlung-Überprüfung-für-Österreich',
  '日本語のとても長いサービス名前です',
  '🚀🚀🚀',
];

interface Row {
  readonly timestampNs: bigint;
  readonly service: string;
  readonly body: string;
  readonly attributes: readonly (readonly [string, string | null])[];
  readonly tenant: string | null;
}

export interface Expected {
  readonly rows: number;
  readonly services: Readonly<Record<string, number>>;
  readonly checksum: string;
}

export interface SampleTable {
  readonly location: string;
  readonly all: Expected;
  readonly filters: readonly {
    readonly service?: string;
    readonly fromNs?: string;
    readonly toNs?: string;
    readonly expected: Expected;
    readonly filesAtMost: number;
  }[];
  readonly snapshots: readonly { readonly id: string; readonly expected: Expected }[];
}

const FIELD_IDS =
  '{timestamp_ns:1, source:2, service:3, body:4, idempotency_key:5, ' +
  'attributes:{__duckdb_field_id:6, key:11, value:12}, host:7, env:8, namespace:9, tenant:10}';

function rowsOfFile(file: number): Row[] {
  return Array.from({ length: ROWS }, (_, index) => {
    const timestampNs = START_NS + BigInt(file) * 60_000_000_000n + BigInt(index);
    // One service per file, so that pruning by service has something to prune.
    const service = SERVICES[file % SERVICES.length] ?? '';
    return {
      timestampNs,
      service,
      body: `event ${file}/${index} "quoted" \t Grüße 🚀`,
      attributes: [
        ['größe', String(index)],
        ['level', index % 7 === 0 ? null : 'info'],
      ],
      tenant: index % 5 === 0 ? null : 'acme',
    };
  });
}

function expect(rows: readonly Row[]): Expected {
  const services: Record<string, number> = {};
  let checksum = 0n;
  for (const row of rows) {
    services[row.service] = (services[row.service] ?? 0) + 1;
    checksum = BigInt.asUintN(64, checksum + hashOf(row));
  }
  return { rows: rows.length, services, checksum: checksum.toString(16).padStart(16, '0') };
}

function hashOf(row: Row): bigint {
  const attributes = row.attributes.toSorted((a, b) =>
    Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0])),
  );
  const { timestampNs, service, body, tenant } = row;
  const values = [String(timestampNs), 'sample', service, body, null, attributes];
  const text = JSON.stringify([...values, null, null, null, tenant]);
  return createHash('sha256').update(text).digest().readBigUInt64BE();
}

const quote = (value: string | null): string =>
  value === null ? 'NULL' : `'${value.replaceAll("'", "''")}'`;

async function writeParquet(
  connection: DuckDBConnection,
  path: string,
  rows: readonly Row[],
): Promise<DataFile['stats']> {
  const values = rows.map(({ timestampNs, service, body, attributes, tenant }) => {
    const entries = attributes.map(([key, value]) => `${quote(key)}: ${quote(value)}`);
    return `(${timestampNs}::BIGINT, ${quote(service)}, ${quote(body)}, MAP {${entries.join(', ')}}, ${quote(tenant)})`;
  });
  const result = await connection.runAndReadAll(
    `COPY (SELECT t AS timestamp_ns, 'sample' AS "source", s AS service, b AS body, NULL::VARCHAR AS idempotency_key,
       a AS attributes, NULL::VARCHAR AS host, NULL::VARCHAR AS env, NULL::VARCHAR AS "namespace", n AS tenant
       FROM (VALUES ${values.join(',')}) v(t, s, b, a, n) ORDER BY t)
     TO ${quote(path)} (FORMAT parquet, COMPRESSION zstd, RETURN_STATS true, FIELD_IDS ${FIELD_IDS})`,
  );
  const [returned] = result.getRowObjectsJson();
  if (returned === undefined) throw new Error('COPY returned no statistics');
  return {
    rows: Number(returned['count']),
    sizeBytes: Number(returned['file_size_bytes']),
    columns: columnStats(returned['column_statistics']),
    rowGroups: [],
  };
}

/** From `RETURN_STATS`: a map of leaf path to a map of statistic to text. */
function columnStats(returned: unknown): ColumnStats[] {
  const leaves = returned as { key: string; value: { key: string; value: string | null }[] }[];
  return leaves.map(({ key, value }) => {
    const path = key.replaceAll('"', '');
    const stats = new Map(value.map((item) => [item.key, item.value]));
    const bound = (name: string): bigint | string | undefined => {
      const found = stats.get(name) ?? undefined;
      return found !== undefined && path === 'timestamp_ns' ? BigInt(found) : found;
    };
    const [min, max, nulls] = [bound('min'), bound('max'), stats.get('null_count')];
    const fieldId = fieldIdOf(path);
    return {
      path,
      ...(fieldId === undefined ? {} : { fieldId }),
      compressedBytes: Number(stats.get('column_size_bytes')),
      values: Number(stats.get('num_values')),
      ...(nulls === undefined ? {} : { nulls: Number(nulls) }),
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    };
  });
}

function fieldIdOf(path: string): number | undefined {
  if (path === 'attributes.key') return 11;
  if (path === 'attributes.value') return 12;
  return rawEventsSchema.columns.find((column) => column.name === path)?.fieldId;
}

export async function writeSampleTable(bucket: string): Promise<SampleTable> {
  await mkdir(bucket, { recursive: true });
  const scratch = await mkdtemp(join(tmpdir(), 'sample-table-'));
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const store = await LocalObjectStore.open(bucket);
  const table = await LakeTable.open({
    store,
    schema: rawEventsSchema,
    nodeId: 'sample',
    clock: systemClock,
  });
  const upload = async (name: string, rows: readonly Row[]): Promise<DataFile> => {
    const path = join(scratch, name);
    const stats = await writeParquet(connection, path, rows);
    const key = `varve/raw_events/data/${name}`;
    await store.putFile(key, path);
    return { key, stats };
  };

  const live = new Map<string, Row[]>();
  const snapshots: { id: string; expected: Expected }[] = [];
  const remember = (): void => {
    const id = String(table.current().snapshotId);
    snapshots.push({ id, expected: expect([...live.values()].flat()) });
  };
  // Enough single-file appends to see manifests merged, then one commit of every other kind.
  for (let index = 0; index < FILES; index += 1) {
    const file = await upload(`append-${index}.parquet`, rowsOfFile(index));
    await table.append([file], { commitId: `append-${index}` });
    live.set(file.key, rowsOfFile(index));
    if (index % 20 === 0) remember();
  }
  const compacted = [...live.keys()].slice(0, 4);
  const merged = compacted.flatMap((key) => live.get(key) ?? []);
  const output = await upload('compacted.parquet', merged);
  await table.replace({ remove: compacted, add: [output], commitId: 'compact' });
  for (const key of compacted) live.delete(key);
  live.set(output.key, merged);
  remember();
  const dropped = 'varve/raw_events/data/append-10.parquet';
  await table.delete([dropped], { commitId: 'drop' });
  live.delete(dropped);
  remember();
  const last = await upload('last.parquet', rowsOfFile(FILES));
  await table.append([last], { commitId: 'last' });
  live.set(last.key, rowsOfFile(FILES));
  remember();

  connection.closeSync();
  await rm(scratch, { recursive: true, force: true });
  const rows = [...live.values()].flat();
  const fromNs = START_NS + 30n * 60_000_000_000n;
  const toNs = fromNs + 5n * 60_000_000_000n;
  const inTime = rows.filter((row) => row.timestampNs >= fromNs && row.timestampNs < toNs);
  return {
    location: store.uri('varve/raw_events'),
    all: expect(rows),
    filters: [
      { fromNs: String(fromNs), toNs: String(toNs), expected: expect(inTime), filesAtMost: 5 },
      ...SERVICES.map((service) => ({
        service,
        expected: expect(rows.filter((row) => row.service === service)),
        filesAtMost: 20,
      })),
    ],
    snapshots,
  };
}
