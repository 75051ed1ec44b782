import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawEventsSchema } from '../../columns/index.ts';
import { Planner } from '../engine/planner.ts';
import type { PlannedSql } from '../engine/protocol.ts';
import { parseExplain } from './explain.ts';

/**
 * Bounds and pruning are read out of a text the engine prints for people. These are the forms it is known to
 * print. When an upgrade of the engine makes one of these tests fail, look at what `filter-text.ts` and `explain.ts`
 * make of the new form before changing what is expected here.
 */
let directory: string;
let planner: Planner;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-explain-'));
  planner = await Planner.open({
    role: 'planner',
    schemas: [rawEventsSchema],
    workDirectory: directory,
    dataDirectories: [],
    pipeDirectory: join(directory, 'pipes'),
    memoryLimitBytes: 256 * 1024 * 1024,
    threads: 1,
  });
});

afterAll(() => rm(directory, { recursive: true, force: true }));

const plan = (sql: string): Promise<PlannedSql> => planner.plan(sql, [{ name: 'raw_events' }]);

interface Node {
  readonly name: string;
  readonly extra_info: Readonly<Record<string, unknown>>;
  readonly children: readonly Node[];
}

const nodesOf = (node: Node): Node[] => [node, ...node.children.flatMap(nodesOf)];
const treeOf = ({ tree }: PlannedSql): Node[] => (tree as Node[]).flatMap(nodesOf);
const filtersOf = (planned: PlannedSql): unknown[] =>
  treeOf(planned).flatMap(({ extra_info: info }) => ('Filters' in info ? [info['Filters']] : []));

describe('filters of a scan', () => {
  test.each([
    ['timestamp_ns >= 5 AND timestamp_ns < 9', 'timestamp_ns>=5 AND timestamp_ns<9', 2],
    ['timestamp_ns = -5', 'timestamp_ns=-5', 1],
    ['timestamp_ns BETWEEN 3 AND 8', 'timestamp_ns>=3 AND timestamp_ns<=8', 2],
    ["service = 'it''s'", "service='it''s'", 1],
    ["service = 'a' AND host > 'b'", ["service='a'", "host>'b'"], 2],
    ["service IN ('a', 'b')", "optional: service IN ('a', 'b')", 1],
    ['timestamp_ns IN (1, 2, 30)', 'optional: timestamp_ns IN (1, 2, 30)', 1],
    [
      'timestamp_ns >= 5 AND timestamp_ns IN (1, 2, 30)',
      'timestamp_ns>=5 AND optional: timestamp_ns IN (1, 2, 30)',
      2,
    ],
    ['timestamp_ns = 1 OR timestamp_ns = -20', 'optional: timestamp_ns=1 OR timestamp_ns=-20', 0],
    ["service <> 'a'", "service!='a'", 0],
    ['service IS NULL', '(service IS NULL)', 0],
    ["service LIKE 'svc%'", "service>='svc' AND service<'svd'", 2],
    ["service LIKE '%x%'", "contains(service, 'x')", 0],
    ["attributes['k'] = 'v1'", "(map_extract_value(attributes, 'k') = 'v1')", 0],
    [
      "host > 'q' AND (host = 'a' OR host IS NULL)",
      "host>'q' AND ((host = 'a') OR (host IS NULL))",
      1,
    ],
    [
      'timestamp_ns BETWEEN 3 AND 8 OR timestamp_ns > 100',
      '(((timestamp_ns >= 3) AND (timestamp_ns <= 8)) OR (timestamp_ns > 100))',
      0,
    ],
    ["service = 'a' || chr(10) || 'b'", ["service='a", "b'"], 0],
    ["service = chr(9) || 'x  y '", "service='\tx  y '", 1],
  ])('%s', async (where, filters, predicates) => {
    const planned = await plan(`SELECT body FROM raw_events WHERE ${where}`);
    expect(filtersOf(planned)).toEqual([filters]);
    expect(planned.scans).toHaveLength(1);
    expect(planned.scans[0]?.predicates).toHaveLength(predicates);
  });
});

describe('nodes of a plan', () => {
  const scansOf = async (sql: string): Promise<unknown> =>
    (await plan(sql)).scans.map(({ columns, passes }) => [columns.toSorted().join(), passes]);

  test('a scan names its columns and the columns of its filters', async () => {
    const planned = await plan("SELECT body, host FROM raw_events WHERE service = 'a'");
    const scan = treeOf(planned).find(({ children }) => children.length === 0);
    expect(scan?.name.trim()).toBe('READ_PARQUET');
    expect(scan?.extra_info).toMatchObject({
      Function: 'READ_PARQUET',
      Projections: ['body', 'host'],
      Filters: "service='a'",
    });
    expect(await scansOf('SELECT count(*) FROM raw_events')).toEqual([['', 1]]);
    expect(await scansOf("SELECT body FROM raw_events WHERE host LIKE '%x%'")).toEqual([
      ['body,host', 1],
    ]);
  });

  test('a row limit counts twice what is right below it, and once the rest', async () => {
    expect(await scansOf('SELECT body FROM raw_events LIMIT 3')).toEqual([['body', 2]]);
    const all = rawEventsSchema.columns.map(({ name }) => name).toSorted();
    expect(await scansOf('SELECT * FROM raw_events ORDER BY timestamp_ns DESC LIMIT 5')).toEqual([
      [all.join(), 1],
      ['timestamp_ns', 2],
    ]);
    expect(await scansOf('SELECT body FROM raw_events USING SAMPLE 3')).toEqual([
      ['body', 1],
      ['', 2],
    ]);
  });

  test('a table read several times is counted each time', async () => {
    expect(
      await scansOf(
        "SELECT a.body FROM raw_events a JOIN raw_events b USING (host) WHERE b.env = 'x'",
      ),
    ).toEqual([
      ['body,host', 1],
      ['env,host', 1],
    ]);
    expect(
      await scansOf(
        'WITH c AS MATERIALIZED (SELECT host FROM raw_events) SELECT 1 FROM c UNION ALL SELECT 2 FROM c, raw_events',
      ),
    ).toEqual([
      ['host', 1],
      ['', 1],
    ]);
  });

  test('the ends of a plan that read nothing are known as such', async () => {
    for (const sql of [
      'SELECT 1',
      'VALUES (1), (2)',
      'SELECT * FROM range(3), generate_series(1, 2)',
      'SELECT unnest([1, 2]), 3 FROM (SELECT * FROM unnest([3]))',
      'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r',
      'WITH c AS MATERIALIZED (SELECT 1 AS a) SELECT * FROM c, c d',
      'SELECT max(a) FROM (SELECT 1 AS a WHERE false)',
      'SELECT 1 IN (1, 2, 3), (SELECT max(x) FROM (VALUES (1), (2)) t(x))',
      'SELECT * FROM repeat(1, 3)',
      `SELECT * FROM json_each('[1, 2]') a, json_tree('{"a": 1}') b`,
    ]) {
      // A table in view makes an unknown end count.
      const { scans } = await plan(`SELECT * FROM (${sql}) a, (SELECT count(*) FROM raw_events) b`);
      expect(
        scans.map(({ columns }) => columns),
        sql,
      ).toEqual([[]]);
    }
  });

  test('a correlated join counts its table once', async () => {
    expect(await scansOf('SELECT j.value FROM raw_events r, json_each(r.body) j')).toEqual([
      ['body', 1],
    ]);
  });

  test('an end nobody knows counts as a read of every table in full', () => {
    const tree = [
      {
        name: 'PROJECTION',
        extra_info: {},
        children: [{ name: 'NEW_SCAN', extra_info: {}, children: [] }],
      },
    ];
    const { scans } = parseExplain(JSON.stringify(tree), [rawEventsSchema]);
    expect(scans[0]?.tables).toEqual(['raw_events']);
    expect(scans[0]?.columns).toHaveLength(rawEventsSchema.columns.length);
  });
});
