import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestFile } from './testing/parquet-fixture.ts';
import { QueryFixture } from './testing/query-fixture.ts';

let fixture: QueryFixture;
let files: readonly TestFile[];

beforeAll(async () => {
  fixture = await QueryFixture.open();
  const common = {
    service: "'svc' || (i % 3)",
    body: "'body ' || i",
    attributes: "MAP {'k': 'v' || (i % 7), 'é': '\"'}",
    tenant: "'default'",
  };
  files = [
    await fixture.parquet.write({
      rows: 1000,
      columns: { ...common, timestamp_ns: '1700000000000000001 + i' },
      extra: { _template: 'i::BIGINT' },
    }),
    await fixture.parquet.write({
      rows: 500,
      columns: { ...common, timestamp_ns: '1800000000000000001 + i', host: "'h1'" },
      missing: ['env', 'attributes'],
    }),
  ];
}, 60_000);

afterAll(() => fixture.close());

describe('results', () => {
  test('answers the documented envelope in its order', async () => {
    const text = await fixture.text(
      'SELECT service, count(*) AS n FROM raw_events GROUP BY 1 ORDER BY 1',
      { files },
    );
    const answer = JSON.parse(text) as Record<string, unknown>;
    expect(Object.keys(answer)).toEqual([
      'columns',
      'rows',
      'row_count',
      'scan',
      'elapsed_seconds',
    ]);
    expect(answer).toMatchObject({
      columns: [
        { name: 'service', type: 'VARCHAR' },
        { name: 'n', type: 'BIGINT' },
      ],
      rows: [
        ['svc0', 501],
        ['svc1', 500],
        ['svc2', 499],
      ],
      row_count: 3,
      scan: { files: 2, row_groups: 2 },
    });
  });

  test('shows exactly the ten columns, with nulls where a file lacks one', async () => {
    const answer = await fixture.ask(
      'SELECT * FROM raw_events WHERE timestamp_ns = 1800000000000000001',
      { files },
    );
    expect(answer.columns.map(({ name }) => name)).toEqual([
      'timestamp_ns',
      'source',
      'service',
      'body',
      'idempotency_key',
      'attributes',
      'host',
      'env',
      'namespace',
      'tenant',
    ]);
    expect(answer.rows).toEqual([
      [
        Number(1800000000000000001n),
        null,
        'svc0',
        'body 0',
        null,
        null,
        'h1',
        null,
        null,
        'default',
      ],
    ]);
    await expect(fixture.ask('SELECT _template FROM raw_events', { files })).rejects.toMatchObject({
      code: 'sql_invalid',
    });
  });

  test('prints 64-bit and wider integers exactly', async () => {
    const text = await fixture.text(
      'SELECT min(timestamp_ns), 9223372036854775807, 170141183460469231731687303715884105727::HUGEINT, 1.50::DECIMAL(38, 20) FROM raw_events',
      { files },
    );
    expect(text).toContain(
      '[1700000000000000001,9223372036854775807,170141183460469231731687303715884105727,1.50000000000000000000]',
    );
  });

  test('turns NaN and infinities into null at any depth', async () => {
    const answer = await fixture.ask(
      "SELECT 'nan'::DOUBLE, [1.5::FLOAT, '-inf'::FLOAT], {'a': 'inf'::DOUBLE, 'b': [{'c': 'nan'::DOUBLE}]}, MAP {'k': 'inf'::DOUBLE}, NULL::DOUBLE[], 0.1::DOUBLE, ['nan'::DOUBLE]::DOUBLE[1]",
    );
    expect(answer.rows).toEqual([
      [null, [1.5, null], { a: null, b: [{ c: null }] }, { k: null }, null, 0.1, [null]],
    ]);
  });

  test('keeps to that in every format, and keeps the values beside them', async () => {
    const sql = `SELECT {'a': 1, 'b': 'nan'::DOUBLE, 'c': NULL} AS s, [NULL, 'inf'::FLOAT, 2.5] AS l,
      MAP {'x': ['-inf'::DOUBLE, 1], 'y': []} AS m, MAP {'nan'::DOUBLE: 1} AS k, 'inf'::DOUBLE AS d,
      NULL::STRUCT(a DOUBLE) AS n, union_value(u := 'nan'::DOUBLE) AS u`;
    const row = {
      s: { a: 1, b: null, c: null },
      l: [null, null, 2.5],
      m: { x: [null, 1], y: [] },
      k: { nan: 1 },
      d: null,
      n: null,
      u: 'nan',
    };
    expect((await fixture.ask(sql)).rows).toEqual([Object.values(row)]);
    expect(JSON.parse(await fixture.text(sql, { format: 'ndjson' }))).toEqual(row);
    // CSV has no null in a nested value either; a plain number is printed as the engine prints it.
    expect(await fixture.text(sql, { format: 'csv' })).toContain(',inf,');
  });

  test('prints JSON values as text, exactly as they were written', async () => {
    const sql = `SELECT '{"a": [1,  2.50]}'::JSON AS j, ['[1]'::JSON] AS l, {'k': '"x"'::JSON} AS s,
      json_extract('{"a": 12345678901234567890}', '$.a') AS big, NULL::JSON AS n`;
    const answer = await fixture.ask(sql);
    expect(answer.columns[0]).toEqual({ name: 'j', type: 'JSON' });
    expect(answer.rows).toEqual([
      ['{"a": [1,  2.50]}', ['[1]'], { k: '"x"' }, '12345678901234567890', null],
    ]);
    const line = await fixture.text(sql, { format: 'ndjson' });
    expect((JSON.parse(line) as { j: unknown }).j).toBe('{"a": [1,  2.50]}');
  });

  test('answers duplicate names, odd names and all kinds of text', async () => {
    const sql = `SELECT 1 AS a, 2 AS a, 'x' AS "q""uo,te", 'line' || chr(10) || '"' || chr(0) || '\\é😀' AS "tab	"`;
    const answer = await fixture.ask(sql);
    expect(answer.columns.map(({ name }) => name)).toEqual(['a', 'a', 'q"uo,te', 'tab\t']);
    expect(answer.rows).toEqual([[1, 2, 'x', 'line\n"\0\\é😀']]);
    expect(JSON.parse(await fixture.text(sql, { format: 'ndjson' }))).toEqual({
      a: 1,
      a_1: 2,
      'q"uo,te': 'x',
      'tab\t': 'line\n"\0\\é😀',
    });
    expect(await fixture.text(`SELECT 1 AS a, 2 AS a, 'x' AS "q""uo,te"`, { format: 'csv' })).toBe(
      'a,a,"q""uo,te"\n1,2,x\n',
    );
  });

  test('answers every type as valid JSON', async () => {
    const answer = await fixture.ask(
      `SELECT true, DATE '2020-01-02', TIME '01:02:03', TIMESTAMP '2020-01-02 03:04:05.678', INTERVAL 3 DAY, 'ab'::BLOB, '\\x00\\xFF'::BLOB, '101'::BIT,
       uuid() IS NOT NULL, 'x'::ENUM('x', 'y'), '{"a": [1, 2]}'::JSON, ['[1]'::JSON], NULL, row(1, 2.5), MAP {1: 'a'}, union_value(k := 1.5::DOUBLE), 'nan'::DOUBLE::VARCHAR,
       TIMESTAMPTZ '2020-01-02 03:04:05Z', 'infinity'::DATE, {'a': NULL}, []`,
    );
    expect(answer.row_count).toBe(1);
    expect(answer.rows[0]?.[0]).toBe(true);
  });

  test('answers no rows, over files and over none, with the columns', async () => {
    for (const list of [files, []]) {
      const answer = await fixture.ask(
        "SELECT service, timestamp_ns, attributes FROM raw_events WHERE service = 'none'",
        { files: list },
      );
      expect(answer).toMatchObject({
        columns: [{ type: 'VARCHAR' }, { type: 'BIGINT' }, { type: 'MAP(VARCHAR, VARCHAR)' }],
        rows: [],
        row_count: 0,
        scan: { read_bytes: 0 },
      });
    }
    expect((await fixture.ask('SELECT count(*) FROM raw_events')).rows).toEqual([[0]]);
    expect(await fixture.text('SELECT service FROM raw_events', { format: 'csv' })).toBe(
      'service\n',
    );
    expect(await fixture.text('SELECT service FROM raw_events', { format: 'ndjson' })).toBe('');
  });

  test('streams all rows in order in each format', async () => {
    const sql =
      'SELECT timestamp_ns - 1700000000000000001 AS i, attributes FROM raw_events WHERE attributes IS NOT NULL ORDER BY 1';
    const answer = await fixture.ask(sql, { files });
    expect(answer.rows).toHaveLength(1000);
    expect(answer.row_count).toBe(1000);
    expect(answer.rows[999]).toEqual([999, { k: 'v5', é: '"' }]);
    const lines = (await fixture.text(sql, { files, format: 'ndjson' })).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { i: number }).i)).toEqual(
      Array.from({ length: 1000 }, (_, i) => i),
    );
    const csv = (await fixture.text(sql, { files, format: 'csv' })).split('\n');
    expect(csv).toHaveLength(1002);
    expect(csv[1]).toBe('0,"{""k"":""v0"",""é"":""\\""""}"');
  });

  test('accepts common table expressions, joins, windows, set operations and a closing semicolon', async () => {
    const one = await fixture.ask(
      `WITH a AS (SELECT * FROM raw_events WHERE host = 'h1'), b AS MATERIALIZED (SELECT service FROM a)
       SELECT a.service, row_number() OVER (ORDER BY a.timestamp_ns) AS r FROM a JOIN (SELECT DISTINCT service FROM b) USING (service)
       UNION ALL SELECT 'x', 0 ORDER BY r LIMIT 2; -- the end`,
      { files },
    );
    expect(one.rows).toEqual([
      ['x', 0],
      ['svc0', 1],
    ]);
    for (const sql of [
      'FROM raw_events LIMIT 1',
      'VALUES (1), (2)',
      'TABLE raw_events',
      '(SELECT 1) UNION (SELECT 1)',
      'SELECT 1 ;;',
      'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT max(n) FROM r',
      'SELECT x FROM range(3) t(x)',
      'SELECT unnest(map_keys(attributes)) FROM raw_events LIMIT 1',
      'SELECT list_filter([1,2], x -> x > 1)',
    ]) {
      await expect(fixture.ask(sql, { files })).resolves.toMatchObject({
        columns: expect.any(Array),
      });
    }
  });

  test('applies the row scope of the caller', async () => {
    const scope = { service: ['svc1', "it's"] };
    const answer = await fixture.ask('SELECT DISTINCT service FROM raw_events', { files, scope });
    expect(answer.rows).toEqual([['svc1']]);
    expect(
      (await fixture.ask('SELECT count(*) FROM raw_events', { files, scope: { service: [] } }))
        .rows,
    ).toEqual([[0]]);
    expect(
      (
        await fixture.ask('SELECT body FROM raw_events ORDER BY timestamp_ns DESC LIMIT 1', {
          files,
          scope,
        })
      ).rows,
    ).toEqual([['body 499']]);
  });
});
