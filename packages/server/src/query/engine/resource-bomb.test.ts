import { afterAll, beforeAll, expect, test } from 'vitest';
import { NodeError } from '../../base/errors.ts';
import type { TestFile } from '../testing/parquet-fixture.ts';
import { QueryFixture } from '../testing/query-fixture.ts';

let fixture: QueryFixture;
let files: readonly TestFile[];

beforeAll(async () => {
  fixture = await QueryFixture.open({ memory_limit_bytes: 64 * 1024 * 1024 });
  files = [
    await fixture.parquet.write({
      rows: 100,
      columns: { timestamp_ns: 'i', body: "repeat('a', 30) || '!'" },
    }),
  ];
}, 60_000);

afterAll(() => fixture.close());

const outcome = async (sql: string): Promise<string> => {
  try {
    const text = await fixture.text(sql, { files, maxScanSeconds: 0.3, format: 'csv' });
    return `answered ${text.slice(0, 50)}`;
  } catch (error) {
    return error instanceof NodeError ? error.code : String(error);
  }
};

/** Values of constants, which the planner works out already. */
const plannedBombs = [
  "SELECT length(repeat(repeat('x', 1000000), 3000))",
  "SELECT damerau_levenshtein(repeat('a', 100000), repeat('b', 100000))",
  'SELECT len(range(1000000000))',
  "SELECT length(printf('%1000000000d', 1))",
  'SELECT len(list_transform(range(100000), x -> range(100000)))',
  `WITH c0 AS (SELECT 1 AS a), ${Array.from({ length: 30 }, (_, i) => `c${i + 1} AS NOT MATERIALIZED (SELECT x.a FROM c${i} x, c${i} y)`).join(', ')} SELECT count(*) FROM c30`,
];

const memoryBombs = [
  'SELECT list(range) FROM range(1000000000)',
  "SELECT length(string_agg(repeat('x', 1000), '')) FROM range(10000000)",
  "WITH RECURSIVE r(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM r) SELECT max(length(s)) FROM r",
  "SELECT json_group_array(repeat('x', 100000)) FROM range(1000000)",
  'SELECT array_agg(repeat(range::VARCHAR, 1000)) FROM range(2000000)',
  "SELECT max(length(repeat(repeat('x', 1000000), range))) FROM range(3000, 3001)",
];

const timeBombs = [
  'SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = 7',
  'SELECT * FROM range(500000000) ORDER BY hash(range) LIMIT 1 OFFSET 400000000',
  'SELECT count(DISTINCT md5(range::VARCHAR)) FROM range(300000000)',
  'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r',
  'SELECT max(m) FROM (SELECT median(range) OVER (ORDER BY range ROWS BETWEEN 1000000 PRECEDING AND CURRENT ROW) AS m FROM range(100000000))',
  "SELECT count(*) FROM raw_events, range(10000000) WHERE regexp_matches(body || range, '(a+)+$')",
  'SELECT count(*) FROM range(100000) a, LATERAL (SELECT * FROM range(a.range * 100000)) b',
  'SELECT count(*) FROM generate_series(1, 10000000000000)',
  'SELECT histogram(range) FROM range(500000000)',
  'SELECT count(*) FROM range(10000000) a WHERE EXISTS (SELECT 1 FROM range(10000000) b WHERE b.range * b.range = a.range + 7)',
  'SELECT range, md5(range::VARCHAR) FROM range(10000000000)',
];

/** With `VARVE_TEST_RUNS` set, all of them; each takes its time. */
const shortList = process.env['VARVE_TEST_RUNS'] === undefined ? 3 : Infinity;

const isContained = (code: string): boolean =>
  ['query_out_of_memory', 'query_timeout', 'query_engine_failed'].includes(code);

for (const [kind, bombs] of Object.entries({ plannedBombs, memoryBombs, timeBombs })) {
  test(`contains ${kind}`, { timeout: 90_000 }, async () => {
    for (const sql of bombs.slice(0, shortList))
      expect(await outcome(sql), sql).toSatisfy(isContained);
    expect((await fixture.ask('SELECT count(*) FROM raw_events', { files })).rows).toEqual([[100]]);
  });
}

test('says so when memory was what a query ran out of, and others go on', async () => {
  for (const sql of [plannedBombs[0], memoryBombs[0]]) {
    await expect(fixture.ask(sql ?? '')).rejects.toMatchObject({ code: 'query_out_of_memory' });
  }
  expect((await fixture.ask('SELECT 1')).rows).toEqual([[1]]);
}, 60_000);
