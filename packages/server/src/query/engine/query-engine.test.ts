import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { QueryService } from '../query-service.ts';
import type { TestFile } from '../testing/parquet-fixture.ts';
import { QueryFixture } from '../testing/query-fixture.ts';

let fixture: QueryFixture;
let files: readonly TestFile[];

/** Runs for minutes unless stopped. */
const endless =
  'SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7';
/** Gives rows at once and for a long time. */
const longStream = 'SELECT range, md5(range::VARCHAR) AS h FROM range(200000000)';

beforeAll(async () => {
  fixture = await QueryFixture.open({ max_concurrent: 2, queue_timeout_seconds: 1 });
  files = [
    await fixture.parquet.write({
      rows: 1000,
      columns: { timestamp_ns: '1700000000000000000 + i', service: "'a'", body: "'x'" },
    }),
  ];
}, 60_000);

afterAll(() => fixture.close());

const untilRunning = async (count: number): Promise<void> => {
  while (fixture.engine.load.running !== count) await sleep(5);
};

describe('stopping', () => {
  test('aborting the signal stops a query that has given no rows yet', async () => {
    const abort = new AbortController();
    const answer = fixture.ask(endless, { signal: abort.signal });
    answer.catch(() => undefined);
    await untilRunning(1);
    abort.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
    await untilRunning(0);
    expect((await fixture.ask('SELECT 1')).rows).toEqual([[1]]);
  });

  test('destroying the body stops a query in the middle of its rows and releases its files', async () => {
    const table = fixture.table(files);
    const prepared = await fixture.service.run(
      { sql: `${longStream}, (SELECT count(*) FROM raw_events)` },
      { tables: [table] },
    );
    const { body, summary } = await prepared.stream('ndjson');
    for await (const chunk of body) {
      expect((chunk as Buffer).length).toBeGreaterThan(0);
      break;
    }
    await expect(summary).rejects.toThrow();
    await untilRunning(0);
    expect((table.source as { pins?: { open: number } }).pins).toEqual({ open: 0 });
  });

  test('a query over its seconds is stopped with query_timeout', async () => {
    await expect(fixture.ask(endless, { maxScanSeconds: 0.2 })).rejects.toMatchObject({
      code: 'query_timeout',
    });
    await untilRunning(0);
  });

  test('the longest time of the node holds for every query, also a confirmed one', async () => {
    const limited = new QueryService({
      engine: fixture.engine,
      clock: systemClock,
      scanGuard: 'enforce',
      maxSeconds: 0.2,
    });
    const request = { sql: endless, maxScanBytes: 0, maxScanSeconds: 1e9, confirm: true };
    const prepared = await limited.run(request, { tables: [fixture.table(files)] });
    await expect(prepared.stream('csv')).rejects.toMatchObject({ code: 'query_timeout' });
    await untilRunning(0);
  });

  test('a limit of years does not stop a query at once', async () => {
    const answer = await fixture.ask('SELECT sum(range) FROM range(5000000)', {
      maxScanSeconds: 1e12,
    });
    expect(answer.row_count).toBe(1);
  });

  test('a stream over its seconds is cut with an error, not ended', async () => {
    await expect(
      fixture.text(longStream, { maxScanSeconds: 0.3, format: 'csv' }),
    ).rejects.toMatchObject({ code: 'query_timeout' });
    await untilRunning(0);
  });

  test('a value that fails to convert after rows were sent errors the stream', async () => {
    const sql =
      "SELECT CASE WHEN range < 3000000 THEN range ELSE ('x' || range)::BIGINT END AS v FROM range(4000000)";
    await expect(fixture.text(sql, { format: 'csv' })).rejects.toMatchObject({
      code: 'sql_invalid',
    });
    await expect(
      fixture.text("SELECT 'x'::VARCHAR::BIGINT FROM raw_events", { files }),
    ).rejects.toMatchObject({ code: 'sql_invalid' });
  });
});

describe('failing', () => {
  test('a killed executor fails its queries with query_engine_failed and the next query works', async () => {
    const answers = [fixture.ask(endless), fixture.text(longStream, { format: 'ndjson' })];
    for (const answer of answers) answer.catch(() => undefined);
    await untilRunning(2);
    await sleep(50);
    const before = fixture.engine.pids.executor;
    if (before !== undefined) process.kill(before, 'SIGKILL');
    for (const answer of answers)
      await expect(answer).rejects.toMatchObject({ code: 'query_engine_failed' });
    expect((await fixture.ask('SELECT count(*) FROM raw_events', { files })).rows).toEqual([
      [1000],
    ]);
    expect(fixture.engine.pids.executor).not.toBe(before);
    await untilRunning(0);
  });

  test('a killed planner is started again without its caller noticing', async () => {
    const before = fixture.engine.pids.planner;
    if (before !== undefined) process.kill(before, 'SIGKILL');
    expect((await fixture.ask('SELECT 1 + 41')).rows).toEqual([[42]]);
  });
});

test('the query processes end when the node that started them is killed', async () => {
  const module = new URL('../testing/query-fixture.ts', import.meta.url).href;
  const code = `const { QueryFixture } = await import(${JSON.stringify(module)});
    const fixture = await QueryFixture.open();
    fixture.ask(${JSON.stringify(endless)}).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 300));
    process.stdout.write(JSON.stringify([fixture.parquet.directory, ...Object.values(fixture.engine.pids)]));`;
  const node = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = (await once(node.stdout, 'data')) as [Buffer];
  const [directory, ...pids] = JSON.parse(output.toString()) as [string, ...number[]];
  expect(pids).toHaveLength(2);
  node.kill('SIGKILL');
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  while (pids.some(isAlive)) await sleep(10);
  for (const path of [directory, `${directory}-work`])
    await rm(path, { recursive: true, force: true });
}, 20_000);

describe('queueing', () => {
  test('a query that finds no place in time is refused with a time to retry', async () => {
    const abort = new AbortController();
    const busy = [
      fixture.ask(endless, { signal: abort.signal }),
      fixture.ask(endless, { signal: abort.signal }),
    ];
    for (const answer of busy) answer.catch(() => undefined);
    await untilRunning(2);
    await expect(fixture.ask('SELECT 1')).rejects.toMatchObject({
      code: 'query_queue_timeout',
      retryAfterMs: 1000,
    });
    const waiting = fixture.ask('SELECT 2');
    abort.abort();
    expect((await waiting).rows).toEqual([[2]]);
    await untilRunning(0);
  });

  test('answers many queries at once, each its own rows', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        fixture.ask(`SELECT ${String(i)}, count(*) FROM raw_events`, { files }),
      ),
    );
    expect(answers.map(({ rows }) => rows)).toEqual(answers.map((_, i) => [[i, 1000]]));
  });
});

test('a reader that stops reading holds the engine back instead of filling memory', async () => {
  const prepared = await fixture.service.run({ sql: longStream }, { tables: [] });
  const { body } = await prepared.stream('ndjson');
  await sleep(300);
  const before = process.memoryUsage().rss;
  await sleep(300);
  expect(body.readableLength).toBeLessThan(1024 * 1024);
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  body.destroy();
  await untilRunning(0);
});
