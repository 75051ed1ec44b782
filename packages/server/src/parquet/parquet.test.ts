import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFileSystem } from '../base/node-file-system.ts';
import { encodeRecordBatch, RawEventBuilder, rawEventsSchema } from '../columns/index.ts';
import { encodeParquet, footerStats, mergeSql, readFooterStats } from './index.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

let directory: string;
let duckdb: DuckDBInstance;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-parquet-'));
  duckdb = await DuckDBInstance.create(':memory:');
});

afterAll(async () => {
  duckdb.closeSync();
  await rm(directory, { recursive: true });
});

async function query(sql: string): Promise<unknown[]> {
  const connection = await duckdb.connect();
  const reader = await connection.runAndReadAll(sql);
  return reader.getRowObjectsJson();
}

/** One record batch per list of bodies; event times count up from 1. */
function recordBatches(bodies: readonly (readonly (string | null)[])[]): Uint8Array[] {
  let time = 1n;
  return bodies.map((batchBodies) => {
    const builder = new RawEventBuilder({
      limits: { maxEventBytes: 10_000, maxAttributes: 10, maxBatchBytes: 100_000_000 },
      timestamps: { maxFutureNs: 1n << 60n, maxAgeNs: undefined, action: 'clamp' },
    });
    builder.beginRequest({ nowNs: 0n, tenant: text('default'), source: text('test') });
    for (const body of batchBodies) {
      builder.begin();
      builder.setTimeNs(time++);
      if (body !== null) builder.setBody(text(body), 0, text(body).length);
      builder.attributeText(text('service.name'), text(`service-${time % 2n}`));
      builder.attributeText(text('k"1'), text(body ?? ''));
      builder.end();
    }
    return Buffer.concat(encodeRecordBatch(builder.batch));
  });
}

describe('encodeParquet', () => {
  it('writes what DuckDB reads back, over several record batches', async () => {
    const path = join(directory, 'several.parquet');
    await writeFile(
      path,
      encodeParquet(
        rawEventsSchema,
        recordBatches([
          ['a', null],
          ['ü', ''],
        ]),
      ),
    );
    expect(
      await query(
        `SELECT timestamp_ns, body, service, attributes['k"1'] AS k FROM '${path}' ORDER BY 1`,
      ),
    ).toEqual([
      { timestamp_ns: '1', body: 'a', service: 'service-0', k: 'a' },
      { timestamp_ns: '2', body: null, service: 'service-1', k: '' },
      { timestamp_ns: '3', body: 'ü', service: 'service-0', k: 'ü' },
      { timestamp_ns: '4', body: '', service: 'service-1', k: '' },
    ]);
  });

  it('gives every column, map key and value included, its permanent field id', async () => {
    const path = join(directory, 'ids.parquet');
    await writeFile(path, encodeParquet(rawEventsSchema, recordBatches([['a']])));
    const rows = await query(
      `SELECT name, field_id FROM parquet_schema('${path}') WHERE field_id IS NOT NULL ORDER BY field_id`,
    );
    expect(rows.map((row) => Object.values(row as object))).toEqual([
      ['timestamp_ns', '1'],
      ['source', '2'],
      ['service', '3'],
      ['body', '4'],
      ['idempotency_key', '5'],
      ['attributes', '6'],
      ['host', '7'],
      ['env', '8'],
      ['namespace', '9'],
      ['tenant', '10'],
      ['key', '11'],
      ['value', '12'],
    ]);
  });
});

describe('footerStats', () => {
  it('tells rows, sizes, nulls and bounds of a file of several row groups', () => {
    const bodies = Array.from({ length: 130_000 }, (_, index) =>
      index % 3 === 0 ? null : `b${index}`,
    );
    const bytes = encodeParquet(rawEventsSchema, recordBatches([bodies]));
    const stats = footerStats(bytes, bytes.length);
    expect(stats).toMatchObject({ rows: 130_000, sizeBytes: bytes.length });
    expect(stats.rowGroups.map((group) => group.rows)).toEqual([122_880, 7_120]);
    const column = (path: string) => stats.columns.find((candidate) => candidate.path === path);
    expect(column('timestamp_ns')).toMatchObject({
      fieldId: 1,
      values: 130_000,
      nulls: 0,
      min: 1n,
      max: 130_000n,
    });
    expect(column('body')).toMatchObject({ fieldId: 4, nulls: 43_334, min: 'b1', max: 'b99998' });
    expect(column('attributes.value')).toMatchObject({ fieldId: 12, values: 260_000 });
    expect(column('idempotency_key')).not.toHaveProperty('min');
    const chunkBytes = stats.columns.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0);
    expect(chunkBytes).toBeGreaterThan(bytes.length * 0.95);
    expect(chunkBytes).toBeLessThan(bytes.length);
  });

  it('refuses a file that is cut or is not Parquet', async () => {
    const bytes = encodeParquet(rawEventsSchema, recordBatches([['a']]));
    for (const content of [
      bytes.subarray(0, bytes.length - 1),
      text('PAR'),
      text('no parquet here'),
    ]) {
      const path = join(directory, 'broken.parquet');
      await writeFile(path, content);
      await expect(readFooterStats(nodeFileSystem, path)).rejects.toMatchObject({
        name: 'NodeError',
        internal: { path },
      });
    }
  });
});

describe('mergeSql', () => {
  it('keeps every row, sorts them, and sets the field ids of the table', async () => {
    const sources = await Promise.all(
      [['x', 'y'], ["it's"]].map(async (bodies, index) => {
        const path = join(directory, `source '${index}.parquet`);
        await writeFile(path, encodeParquet(rawEventsSchema, recordBatches([bodies])));
        return path;
      }),
    );
    const target = join(directory, 'merged.parquet');
    await query(mergeSql(rawEventsSchema, { sources, target }));
    expect(await query(`SELECT service, timestamp_ns FROM '${target}'`)).toEqual([
      { service: 'service-0', timestamp_ns: '1' },
      { service: 'service-0', timestamp_ns: '1' },
      { service: 'service-1', timestamp_ns: '2' },
    ]);
    // Of equal rows either may come first.
    expect(await query(`SELECT body FROM '${target}' ORDER BY body`)).toEqual([
      { body: "it's" },
      { body: 'x' },
      { body: 'y' },
    ]);
    const stats = await readFooterStats(nodeFileSystem, target);
    expect(stats.columns.map(({ path, fieldId }) => [path, fieldId])).toEqual([
      ['timestamp_ns', 1],
      ['source', 2],
      ['service', 3],
      ['body', 4],
      ['idempotency_key', 5],
      ['attributes.key', 11],
      ['attributes.value', 12],
      ['host', 7],
      ['env', 8],
      ['namespace', 9],
      ['tenant', 10],
    ]);
  });
});
