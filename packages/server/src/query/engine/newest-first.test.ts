import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawEventsSchema } from '../../columns/index.ts';
import { EventFiles } from '../testing/event-files.ts';
import type { TestFile } from '../testing/parquet-fixture.ts';
import { QueryFixture, signalBytes } from '../testing/query-fixture.ts';

let fixture: QueryFixture;
let files: readonly TestFile[];

/** Enough files for several batches; their times overlap, repeat and are null. */
beforeAll(async () => {
  fixture = await QueryFixture.open();
  const write = new EventFiles(fixture.parquet);
  const list: TestFile[] = [];
  for (let file = 0; file < 90; file += 1) {
    list.push(
      await write.seal(8, (row) => ({
        timeNs: BigInt(file * 10 + ((row * 7) % 16)),
        body: `${file} ${row}`,
        service: row % 4 === 0 ? `rare ${file % 30}` : 'often',
      })),
    );
  }
  const columns = { body: "'null ' || i", service: "'often'" };
  list.push(await fixture.parquet.write({ rows: 5, columns }));
  list.push(
    await fixture.parquet.write({
      rows: 9,
      columns: {
        ...columns,
        body: "'gap ' || i",
        timestamp_ns: 'CASE WHEN i % 3 > 0 THEN 700 END',
      },
    }),
  );
  files = list;
  const names = rawEventsSchema.columns.map(({ name }) => name).join(', ');
  const paths = files.map(({ path }) => `'${path}'`).join(', ');
  await fixture.parquet.connection.run(
    `CREATE VIEW raw_events AS SELECT ${names} FROM read_parquet([${paths}], union_by_name = true)`,
  );
}, 60_000);

afterAll(() => fixture.close());

const condition = fc.oneof(
  fc.integer({ min: 0, max: 40 }).map((n) => `service = 'rare ${n}'`),
  fc.constantFrom(
    "service = 'often'",
    "body LIKE '% 3'",
    "body LIKE '0 %'",
    'false',
    'length(body) > 4',
    "service IN ('rare 3', 'rare 24')",
    'timestamp_ns IS NULL',
    "coalesce(attributes['none'], 'x') = 'x'",
  ),
  fc.integer({ min: 0, max: 1000 }).map((n) => `timestamp_ns <= ${n} AND service <> 'often'`),
  fc.integer({ min: 0, max: 1000 }).map((n) => `(timestamp_ns > ${n} OR body LIKE '1%')`),
);

const statement = fc
  .tuple(
    condition,
    fc.constantFrom('DESC', 'ASC', 'DESC NULLS LAST'),
    fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 2000 })),
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })),
  )
  .map(([where, direction, limit, offset]) => ({ where, direction, limit, offset }));

test('answers with the rows of the full query, up to the choice among equal times', async () => {
  await fc.assert(
    fc.asyncProperty(statement, async ({ where, direction, limit, offset }) => {
      const rowsOf = `FROM raw_events WHERE ${where}`;
      const order = `ORDER BY timestamp_ns ${direction} LIMIT ${limit} OFFSET ${offset}`;
      const { connection } = fixture.parquet;
      const times = await connection.runAndReadAll(`SELECT timestamp_ns ${rowsOf} ${order}`);
      const all = await connection.runAndReadAll(`SELECT body, timestamp_ns ${rowsOf}`);
      const sql = `SELECT body, timestamp_ns ${rowsOf} ${order}`;
      const { lines, boundBytes, readBytes } = await fixture.measure(sql, files);
      const rows = lines.map((line) => JSON.parse(line) as { body: string; timestamp_ns: number });
      const asText = (value: unknown): string => (value === null ? 'null' : String(value));
      expect(rows.map(({ timestamp_ns: time }) => asText(time))).toEqual(
        times.getRows().map(([time]) => asText(time)),
      );
      const known = new Set(all.getRows().map(([body, time]) => `${asText(body)}@${asText(time)}`));
      const found = rows.map(({ body, timestamp_ns: time }) => `${body}@${asText(time)}`);
      expect(found.filter((row) => !known.has(row))).toEqual([]);
      expect(new Set(found).size).toBe(found.length);
      expect(readBytes).toBeLessThanOrEqual(boundBytes + signalBytes);
    }),
    { numRuns: Number(process.env['VARVE_TEST_RUNS'] ?? 15) },
  );
}, 60_000);

describe('reading', () => {
  test('stops when nothing unread can be among the rows', async () => {
    const sql =
      "SELECT * FROM raw_events WHERE service = 'often' ORDER BY timestamp_ns DESC LIMIT 3";
    const fresh = await QueryFixture.open();
    try {
      const write = new EventFiles(fresh.parquet);
      const list = await Promise.all(
        Array.from({ length: 200 }, (_, file) =>
          write.seal(8, (row) => ({ timeNs: BigInt(file * 10 + row), service: 'often' })),
        ),
      );
      const { lines, boundBytes, readBytes } = await fresh.measure(sql, list);
      expect(
        lines.map((line) => (JSON.parse(line) as { timestamp_ns: number }).timestamp_ns),
      ).toEqual([1997, 1996, 1995]);
      expect(readBytes).toBeLessThan(boundBytes / 2);
    } finally {
      await fresh.close();
    }
  });

  test('applies the row scope and answers in every format', async () => {
    const sql = 'SELECT body, timestamp_ns AS t FROM raw_events ORDER BY timestamp_ns DESC LIMIT 2';
    const options = { files, scope: { service: ['rare 3'] } };
    const answer = await fixture.ask(sql, options);
    expect(answer.rows).toEqual([
      ['63 4', 642],
      ['63 0', 630],
    ]);
    expect(await fixture.text(sql, { ...options, format: 'csv' })).toBe(
      'body,t\n63 4,642\n63 0,630\n',
    );
    expect(await fixture.text(sql, { ...options, format: 'ndjson' })).toBe(
      '{"body":"63 4","t":642}\n{"body":"63 0","t":630}\n',
    );
  });

  test('leaves statements alone whose rows depend on other rows, or cannot be kept', async () => {
    for (const sql of [
      "SELECT body FROM raw_events WHERE body IN (SELECT body FROM raw_events WHERE body = '3 3') ORDER BY timestamp_ns DESC LIMIT 1",
      "SELECT row(body, 1) FROM raw_events WHERE body = '3 3' ORDER BY timestamp_ns DESC LIMIT 1",
      "SELECT body, body FROM raw_events WHERE body = '3 3' ORDER BY timestamp_ns DESC LIMIT 1",
      "SELECT NULL, body, [attributes] FROM raw_events WHERE body = '3 3' ORDER BY timestamp_ns DESC LIMIT 1",
      "SELECT * EXCLUDE (timestamp_ns) FROM raw_events WHERE body = '3 3' ORDER BY timestamp_ns DESC LIMIT 1",
      "SELECT upper(body) AS b FROM raw_events WHERE b = '3 3' ORDER BY timestamp_ns DESC LIMIT 1",
    ]) {
      const answer = await fixture.ask(sql, { files });
      expect(JSON.stringify(answer.rows), sql).toContain('3 3');
    }
  });
});
