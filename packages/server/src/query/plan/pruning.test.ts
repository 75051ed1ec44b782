import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawEventsSchema } from '../../columns/index.ts';
import type { TestFile } from '../testing/parquet-fixture.ts';
import { QueryFixture } from '../testing/query-fixture.ts';

let fixture: QueryFixture;
let files: readonly TestFile[];

const strings = [
  '',
  'a',
  'svc1',
  'svc2',
  'svc3',
  "it's",
  'é',
  'zz',
  '😀',
  '\uffff',
  'line\nbreak',
  "x' AND timestamp_ns<5",
  'OR',
  '%',
];
const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

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
      rows: 9000,
      rowGroupRows: 2048,
      columns: { ...base, timestamp_ns: '1000 + i', service: "'svc1'", host: pick(strings, 'i') },
    }),
    await write({
      rows: 9000,
      rowGroupRows: 2048,
      columns: {
        ...base,
        timestamp_ns: '10000 + (i * 7919) % 9000',
        service: pick(strings, 'i // 700'),
        host: "'a'",
      },
    }),
    await write({
      rows: 3000,
      columns: {
        ...base,
        timestamp_ns: '20000 + i',
        service: "CASE WHEN i % 2 = 0 THEN 'svc2' END",
      },
      missing: ['host', 'env'],
    }),
    await write({
      rows: 3000,
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
  const columns = rawEventsSchema.columns.map(({ name }) => name).join(', ');
  const list = files.map(({ path }) => quote(path)).join(', ');
  await fixture.parquet.connection.run(
    `CREATE VIEW raw_events AS SELECT ${columns} FROM read_parquet([${list}], union_by_name = true)`,
  );
}, 60_000);

afterAll(() => fixture.close());

const reference = async (sql: string): Promise<string[]> => {
  const result = await fixture.parquet.connection.runAndReadAll(
    `SELECT CAST(to_json(q) AS VARCHAR) FROM (${sql}) q`,
  );
  return result.getRows().map((row) => String(row[0]));
};

const time = fc.oneof(
  fc.constantFrom(
    '999',
    '1000',
    '1001',
    '9999',
    '10000',
    '18999',
    '19000',
    '20000',
    '22999',
    '30001',
    '33000',
    '-5',
    '0',
    '9223372036854775000',
  ),
  fc.integer({ min: -10, max: 40_000 }).map(String),
);
const text = fc.constantFrom(...strings).map(quote);
const column = fc.constantFrom('service', 'host', 'env', 'body', 'tenant', "attributes['k']");
const comparison = fc.constantFrom('=', '<', '<=', '>', '>=', '<>', 'IS NOT DISTINCT FROM');
const list = (item: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(item, { minLength: 1, maxLength: 4 }).map((items) => `(${items.join(', ')})`);

const atom = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(comparison, time).map(([op, value]) => `timestamp_ns ${op} ${value}`),
  },
  { weight: 4, arbitrary: fc.tuple(column, comparison, text).map((parts) => parts.join(' ')) },
  fc.tuple(time, time).map(([low, high]) => `timestamp_ns BETWEEN ${low} AND ${high}`),
  fc
    .tuple(fc.constantFrom('IN', 'NOT IN'), list(time))
    .map(([op, values]) => `timestamp_ns ${op} ${values}`),
  fc.tuple(column, fc.constantFrom('IN', 'NOT IN'), list(text)).map((parts) => parts.join(' ')),
  fc
    .tuple(
      column,
      fc.constantFrom("LIKE 'svc%'", "LIKE '%1%'", 'IS NULL', 'IS NOT NULL', "NOT LIKE 's_c1'"),
    )
    .map((parts) => parts.join(' ')),
  time.map((value) => `timestamp_ns + 1 > ${value}`),
  time.map((value) => `timestamp_ns::DOUBLE > ${value}.5`),
  time.map((value) => `CASE WHEN service = 'svc1' THEN timestamp_ns > ${value} ELSE false END`),
);

const condition = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 5, arbitrary: atom },
    fc
      .tuple(tie('node'), fc.constantFrom('AND', 'OR'), tie('node'))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie('node').map((inner) => `NOT (${inner})`),
  ),
})).node;

const selection = fc.constantFrom(
  '*',
  'timestamp_ns, service',
  'body',
  'attributes',
  "attributes['k'] AS k, host",
  'count(*) AS n',
  'max(body) AS b, min(timestamp_ns) AS t',
);

const statement = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(selection, condition)
      .map(([what, where]) => `SELECT ${what} FROM raw_events WHERE ${where}`),
  },
  fc
    .tuple(condition, condition)
    .map(
      ([a, b]) =>
        `SELECT a.timestamp_ns, b.body FROM (SELECT * FROM raw_events WHERE ${a}) a JOIN (SELECT * FROM raw_events WHERE ${b}) b USING (timestamp_ns)`,
    ),
  fc
    .tuple(condition, condition)
    .map(
      ([a, b]) =>
        `WITH c AS (SELECT timestamp_ns, service, host FROM raw_events WHERE ${a}) SELECT service, count(*) AS n FROM c GROUP BY 1 UNION ALL SELECT host, 0 FROM c WHERE timestamp_ns IN (SELECT timestamp_ns FROM raw_events WHERE ${b})`,
    ),
  fc
    .tuple(condition, fc.constantFrom('DESC', 'ASC'), fc.integer({ min: 0, max: 60 }))
    .map(
      ([where, direction, limit]) =>
        `SELECT timestamp_ns FROM raw_events WHERE ${where} ORDER BY timestamp_ns ${direction} LIMIT ${String(limit)}`,
    ),
  fc
    .tuple(
      fc.constantFrom('DESC', 'ASC', 'DESC NULLS FIRST', 'ASC NULLS LAST'),
      fc.integer({ min: 0, max: 5000 }),
      fc.integer({ min: 0, max: 50 }),
    )
    .map(
      ([direction, limit, offset]) =>
        `SELECT timestamp_ns, length(coalesce(body, '')) AS n FROM raw_events ORDER BY timestamp_ns ${direction} LIMIT ${String(limit)} OFFSET ${String(offset)}`,
    ),
  condition.map(
    (where) =>
      `SELECT host, count(DISTINCT service) AS n FROM raw_events r WHERE EXISTS (SELECT 1 FROM raw_events s WHERE s.timestamp_ns = r.timestamp_ns + 1 AND ${where.replaceAll('timestamp_ns', 's.timestamp_ns')}) GROUP BY 1`,
  ),
);

/** Wake-ups between threads of the process, which the system counts as reads of a few bytes. */
const signalBytes = 2048;

test(
  'answers as a full scan does, and never reads more than the bound',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(statement, async (sql) => {
        const expected = await reference(sql);
        const { lines, boundBytes, readBytes } = await fixture.measure(sql, files);
        expect(lines.toSorted()).toEqual(expected.toSorted());
        expect(readBytes).toBeLessThanOrEqual(boundBytes + signalBytes);
      }),
      { numRuns: 60 },
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
  expect(answer.rows).toEqual([[22999], [22998]]);
  expect(answer.scan.files).toBe(1);
});
