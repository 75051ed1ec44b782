import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawEventsSchema } from '../../columns/index.ts';
import { EventFiles } from '../testing/event-files.ts';
import type { TestFile } from '../testing/parquet-fixture.ts';
import { QueryFixture, signalBytes } from '../testing/query-fixture.ts';
import { quote, statement, strings } from '../testing/statement-arbitrary.ts';

/** `VARVE_TEST_RUNS=2000` for a long look. */
const numRuns = Number(process.env['VARVE_TEST_RUNS'] ?? 40);

let fixture: QueryFixture;
/** With nulls in every column, missing columns and small row groups, as other writers can leave them. */
let files: readonly TestFile[];
/** Sealed and merged as a node does it. */
let nodeFiles: readonly TestFile[];

/** Files that differ in every way pruning looks at: time, order of values, nulls, missing columns, row groups. */
beforeAll(async () => {
  fixture = await QueryFixture.open();
  const pick = (list: readonly string[], by: string): string =>
    `[${list.map(quote).join(', ')}][(${by}) % ${String(list.length)} + 1]`;
  const base = {
    body: "'body ' || md5(i::VARCHAR)",
    attributes: "MAP {'k': 'v' || (i % 5), 'n': i::VARCHAR}",
    tenant: "'default'",
  };
  const write = fixture.parquet.write.bind(fixture.parquet);
  files = [
    await write({
      rows: 5000,
      rowGroupRows: 2048,
      columns: { ...base, timestamp_ns: '1000 + i', service: "'svc1'", host: pick(strings, 'i') },
    }),
    await write({
      rows: 5000,
      rowGroupRows: 2048,
      columns: {
        ...base,
        timestamp_ns: '10000 + (i * 7919) % 5000',
        service: pick(strings, 'i // 700'),
        host: "'a'",
      },
    }),
    await write({
      rows: 1500,
      columns: {
        ...base,
        timestamp_ns: '20000 + i',
        service: "CASE WHEN i % 2 = 0 THEN 'svc2' END",
      },
      missing: ['host', 'env'],
    }),
    await write({
      rows: 1500,
      columns: {
        ...base,
        timestamp_ns: 'CASE WHEN i % 3 > 0 THEN 30000 + i END',
        service: "'svc3'",
        host: pick(strings.slice(6), 'i'),
      },
    }),
    await write({ rows: 10, columns: { timestamp_ns: '-5 + i', service: quote('😀') } }),
    await write({
      rows: 1,
      columns: { timestamp_ns: '9223372036854775000', host: quote('\uffff') },
    }),
  ];
  nodeFiles = await writeNodeFiles(new EventFiles(fixture.parquet));
}, 60_000);

afterAll(() => fixture.close());

async function writeNodeFiles(write: EventFiles): Promise<TestFile[]> {
  const textOf = (row: number): string => strings[row % strings.length] ?? '';
  const lastTime = 2n ** 63n - 1n;
  const plain = await write.seal(3000, (row) => ({
    timeNs: 1000n + BigInt(row),
    ...(row % 7 === 0 ? {} : { body: `body ${row} ${textOf(row)}` }),
    service: `svc${Math.floor(row / 1000)}`,
    attributes: { k: `v${row % 5}`, 'host.name': textOf(row), n: String(row) },
  }));
  const shuffled = await write.seal(2000, (row) => ({
    timeNs: 10_000n + BigInt((row * 7919) % 2000),
    ...(row % 3 === 0 ? {} : { service: textOf(row) }),
    attributes: Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key ${i}`, textOf(i)])),
  }));
  const long = await write.seal(3, (row) => ({
    timeNs: 20_000n + BigInt(row),
    body: textOf(row).repeat(300_000).padEnd(1_200_000, 'x'),
    service: 'svc2',
  }));
  const extremes = await write.seal(4, (row) => ({ timeNs: row < 2 ? 0n : lastTime }));
  const merged = await write.merge([plain, shuffled]);
  const mergedTiny = await write.merge([
    await write.seal(1, () => ({ timeNs: 30_000n, service: '😀' })),
    await write.seal(1, () => ({ timeNs: lastTime, service: '\uffff' })),
  ]);
  return [plain, merged, shuffled, long, extremes, mergedTiny];
}

const reference = async (sql: string, list: readonly TestFile[]): Promise<string[]> => {
  const columns = rawEventsSchema.columns.map(({ name }) => name).join(', ');
  const paths = list.map(({ path }) => quote(path)).join(', ');
  await fixture.parquet.connection.run(
    `CREATE OR REPLACE VIEW raw_events AS SELECT ${columns} FROM read_parquet([${paths}], union_by_name = true)`,
  );
  const result = await fixture.parquet.connection.runAndReadAll(
    `SELECT CAST(to_json(q) AS VARCHAR) FROM (${sql}) q`,
  );
  return result.getRows().map((row) => String(row[0]));
};

test(
  'answers as a full scan does, and never reads more than the bound',
  { timeout: 120_000 },
  async () => {
    const tables = [files, nodeFiles, [...nodeFiles.slice(0, 3), ...files]];
    await fc.assert(
      fc.asyncProperty(statement, fc.constantFrom(...tables), async (sql, table) => {
        const expected = await reference(sql, table);
        const { lines, boundBytes, readBytes } = await fixture.measure(sql, table);
        expect(lines.toSorted()).toEqual(expected.toSorted());
        expect(readBytes).toBeLessThanOrEqual(boundBytes + signalBytes);
      }),
      { numRuns },
    );
  },
);

test('leaves out files that cannot match', async () => {
  const filesFor = async (where: string): Promise<number> =>
    (await fixture.ask(`SELECT count(*) FROM raw_events WHERE ${where}`, { files })).scan.files;
  expect(await filesFor('timestamp_ns < 1000')).toBe(1);
  expect(await filesFor('timestamp_ns BETWEEN 20000 AND 30000')).toBe(1);
  expect(await filesFor("service = 'svc3'")).toBe(2);
  expect(await filesFor("service IN ('svc3', 'nobody')")).toBe(2);
  expect(await filesFor('timestamp_ns > 5 AND timestamp_ns < 3')).toBe(0);
});

test('counts a table read twice twice', async () => {
  const once = await fixture.ask('SELECT max(body) FROM raw_events', { files });
  const twice = await fixture.ask(
    'SELECT max(a.body), max(b.body) FROM raw_events a JOIN raw_events b USING (body)',
    { files },
  );
  expect(twice.scan.bound_bytes).toBeGreaterThanOrEqual(2 * once.scan.bound_bytes * 0.99);
});

test('reads only the newest files for the newest rows', async () => {
  const answer = await fixture.ask(
    'SELECT timestamp_ns FROM raw_events ORDER BY timestamp_ns DESC LIMIT 2',
    { files: files.slice(0, 3) },
  );
  expect(answer.rows).toEqual([[21499], [21498]]);
  expect(answer.scan.files).toBe(1);
});
