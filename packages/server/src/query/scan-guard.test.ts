import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NodeError } from '../base/errors.ts';
import type { Suggestion } from './suggestion.ts';
import type { TestFile } from './testing/parquet-fixture.ts';
import { QueryFixture } from './testing/query-fixture.ts';

let fixture: QueryFixture;
let files: readonly TestFile[];

const dayNs = 86_400_000_000_000n;

beforeAll(async () => {
  fixture = await QueryFixture.open();
  files = await Promise.all(
    [0n, 1n, 2n, 3n].map((day) =>
      fixture.parquet.write({
        rows: 4000,
        columns: {
          timestamp_ns: `${String(1_700_000_000_000_000_000n + day * dayNs)} + i`,
          service: "'svc' || (i % 3)",
          body: 'md5(i::VARCHAR) || md5((i + 1)::VARCHAR)',
        },
      }),
    ),
  );
}, 60_000);

afterAll(() => fixture.close());

const refusal = async (sql: string, maxScanBytes: number): Promise<NodeError> => {
  try {
    await fixture.ask(sql, { files, maxScanBytes });
  } catch (error) {
    if (error instanceof NodeError) return error;
  }
  throw new Error('was not refused');
};

describe('limits', () => {
  test('refuses what could read more than the limit, says how much, and reads nothing', async () => {
    const table = fixture.table(files);
    const refused = fixture.service.run(
      { sql: 'SELECT body FROM raw_events', maxScanBytes: 1000 },
      { tables: [table] },
    );
    await expect(refused).rejects.toMatchObject({
      code: 'scan_limit_exceeded',
      details: {
        bound: { files: 4, row_groups: 4, columns: [{ name: 'body' }] },
        limit: { bytes: 1000, seconds: null },
      },
    });
    expect((table.source as { pins?: { open: number } }).pins).toEqual({ open: 0 });
  });

  test('a bound equal to the limit passes and one byte less is refused', async () => {
    const { scan } = await fixture.ask('SELECT max(body) FROM raw_events', { files });
    await fixture.ask('SELECT max(body) FROM raw_events', {
      files,
      maxScanBytes: scan.bound_bytes,
    });
    const error = await refusal('SELECT max(body) FROM raw_events', scan.bound_bytes - 1);
    expect(error.code).toBe('scan_limit_exceeded');
  });

  test('confirm runs it anyway', async () => {
    const answer = await fixture.ask('SELECT count(body) FROM raw_events', {
      files,
      maxScanBytes: 0,
      confirm: true,
    });
    expect(answer.rows).toEqual([[16000]]);
  });

  test('the seconds of the bound are held to max_scan_seconds', async () => {
    await expect(
      fixture.ask('SELECT body FROM raw_events', { files, maxScanSeconds: 1e-9 }),
    ).rejects.toMatchObject({ code: 'scan_limit_exceeded' });
  });

  test('limits out of range are malformed requests', async () => {
    for (const limits of [
      { maxScanBytes: -1 },
      { maxScanBytes: 1.5 },
      { maxScanSeconds: 0 },
      { maxScanSeconds: Number.NaN },
    ]) {
      await expect(fixture.ask('SELECT 1', limits)).rejects.toMatchObject({
        code: 'request_malformed',
      });
    }
  });

  test('explain answers with bound and plan and refuses nothing for its size', async () => {
    const table = fixture.table(files);
    using prepared = await fixture.service.run(
      { sql: 'SELECT body FROM raw_events', maxScanBytes: 0, explain: true },
      { tables: [table] },
    );
    expect(prepared.explain()).toMatchObject({
      within_limit: false,
      bound: { files: 4 },
      columns: [{ name: 'body' }],
    });
  });
});

describe('suggestions', () => {
  test('each is runnable as it stands, passes the limit, and keeps to the question', async () => {
    const { scan } = await fixture.ask('SELECT * FROM raw_events', { files });
    const limit = Math.floor(scan.bound_bytes / 2);
    const error = await refusal("SELECT * FROM raw_events WHERE service <> 'x'", limit);
    const suggestions = error.details['suggestions'] as readonly Suggestion[];
    expect(suggestions.length).toBeGreaterThanOrEqual(2);
    for (const { sql, bound_bytes } of suggestions) {
      const answer = await fixture.ask(sql, { files, maxScanBytes: limit });
      expect(answer.scan.bound_bytes).toBe(bound_bytes);
      expect(answer.row_count).toBeGreaterThan(0);
    }
    expect(suggestions[0]?.sql).toContain('timestamp_ns >= 17');
    expect(suggestions.some(({ sql }) => /EXCLUDE/i.test(sql))).toBe(true);
  });

  test('keeps long integers of the statement exact', async () => {
    const error = await refusal(
      'SELECT body FROM raw_events WHERE timestamp_ns < 1700259200000003999 OR timestamp_ns = -9007199254740993',
      350_000,
    );
    const [first] = error.details['suggestions'] as readonly Suggestion[];
    expect(first?.sql).toContain('1700259200000003999');
    expect(first?.sql).toContain('9007199254740993');
  });

  test('reaches tables inside common table expressions and joins', async () => {
    const { scan } = await fixture.ask('SELECT count(body) FROM raw_events', { files });
    const error = await refusal(
      'WITH a AS (SELECT timestamp_ns, body FROM raw_events) SELECT count(*) FROM a JOIN raw_events AS r ON a.body = r.body',
      scan.bound_bytes,
    );
    const [first] = error.details['suggestions'] as readonly Suggestion[];
    expect(first?.sql.match(/timestamp_ns >= /g)).toHaveLength(2);
    expect(first?.sql).toContain('r.timestamp_ns');
  });
});

test('shadow runs what it would refuse and says so', async () => {
  const shadow = await QueryFixture.open({ scan_guard: 'shadow' });
  try {
    const file = await shadow.parquet.write({ rows: 10, columns: { timestamp_ns: 'i' } });
    using prepared = await shadow.service.run(
      { sql: 'SELECT * FROM raw_events', maxScanBytes: 0 },
      { tables: [shadow.table([file])] },
    );
    expect(prepared.verdict).toBe('shadowed');
  } finally {
    await shadow.close();
  }
}, 20_000);
