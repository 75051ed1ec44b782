import { setTimeout as sleep } from 'node:timers/promises';
import { sized, withNode, type BenchContext } from '../context.ts';
import { LoadGenerator } from '../load/generator.ts';
import { MemorySampler } from '../node/memory-sampler.ts';
import type { NodeProcess } from '../node/node-process.ts';
import { treeUsage } from '../node/process-tree.ts';
import { openPlainDuckdb, type PlainDuckdb } from '../reference/duckdb.ts';
import { rounded } from '../result.ts';
import { median, percentile } from '../statistics.ts';
import { dataFiles } from './storage.ts';

const seed = 20_260_804;
const eventsPerRequest = 1000;
const rareToken = 'quokka-7f3a91';
const rareEvents = 10;

interface QueryRow {
  readonly name: string;
  readonly sql: string;
  readonly targetMs: number;
}

const histogramNs = 1_000_000_000;

const queryRows: readonly QueryRow[] = [
  { name: 'count', sql: 'SELECT count(*) FROM raw_events', targetMs: 100 },
  {
    name: 'group_by_service',
    sql: 'SELECT service, count(*) AS events FROM raw_events GROUP BY service ORDER BY events DESC',
    targetMs: 100,
  },
  {
    name: 'time_histogram',
    sql: `SELECT timestamp_ns // ${histogramNs} AS bucket, count(*) AS events FROM raw_events GROUP BY bucket ORDER BY bucket`,
    targetMs: 100,
  },
  {
    name: 'needle_body',
    sql: `SELECT timestamp_ns, service, body FROM raw_events WHERE body LIKE '%${rareToken}%'`,
    targetMs: 100,
  },
  {
    name: 'group_by_attribute',
    sql: `SELECT attributes['http.response.status_code'] AS status, count(*) AS events FROM raw_events GROUP BY status ORDER BY events DESC`,
    targetMs: 200,
  },
  {
    name: 'filter_attribute',
    sql: `SELECT count(*) FROM raw_events WHERE attributes['http.response.status_code'] = '503'`,
    targetMs: 200,
  },
  {
    name: 'newest_100',
    sql: `SELECT * FROM raw_events WHERE service = 'checkout' ORDER BY timestamp_ns DESC LIMIT 100`,
    targetMs: 200,
  },
];

/** Queries over HTTP on a table that the node itself has ingested and published, against plain DuckDB on its files. */
export async function benchSql(context: BenchContext): Promise<void> {
  const rows = queryRows.filter(({ name }) => context.wants(`sql.${name}`));
  const wantsTrivial = context.wants('sql.trivial');
  const exports = (['csv', 'ndjson'] as const).filter((name) => context.wants(`export.${name}`));
  if (rows.length === 0 && exports.length === 0 && !wantsTrivial) return;
  const millions = sized(context, { full: 10, quick: 1 });
  const config = { 'storage.publish_interval_seconds': sized(context, { full: 10, quick: 2 }) };
  await withNode(context, { name: 'sql', config }, async (node) => {
    context.note(`sql: loading ${millions} million events`);
    const events = await loadEvents(node, millions);
    await untilPublished(node, events);
    const files = dataFiles(node);
    await using plain = await openPlainDuckdb(files);
    const table = { events, files: files.length };
    for (const row of rows) await benchQuery(context, { node, plain, table }, row);
    if (wantsTrivial) await benchTrivial(context, node);
    for (const format of exports) await benchExport(context, { node, plain, table }, format);
  });
}

interface Subject {
  readonly node: NodeProcess;
  readonly plain: PlainDuckdb;
  readonly table: { readonly events: number; readonly files: number };
}

async function loadEvents(node: NodeProcess, millions: number): Promise<number> {
  await using generator = await LoadGenerator.open({
    protocol: 'otlp_protobuf',
    seed,
    requests: 256,
    eventsPerRequest,
  });
  let events = 0;
  for (let index = 0; index < rareEvents; index++) {
    const outcome = await generator.run({
      address: node.address('otlp_http'),
      connections: 8,
      events: millions * 100_000,
    });
    await sendRareEvent(node, index);
    events += outcome.acknowledgedEvents + 1;
  }
  return events;
}

async function sendRareEvent(node: NodeProcess, index: number): Promise<void> {
  const { host, port } = node.address('otlp_http');
  const body = { stringValue: `payment provider refused token ${rareToken}, try ${index}` };
  const record = { timeUnixNano: `${Date.now()}000000`, body };
  const reply = await fetch(`http://${host}:${port}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }),
  });
  if (reply.status !== 200) throw new Error(`an event was answered ${reply.status}`);
  await reply.arrayBuffer();
}

async function untilPublished(node: NodeProcess, events: number): Promise<void> {
  const deadlineMs = performance.now() + 180_000;
  for (;;) {
    const { storage } = await node.sql.health();
    if (storage.table.events === events) return;
    if (performance.now() > deadlineMs) {
      throw new Error(`only ${storage.table.events} of ${events} events were published in time`);
    }
    await sleep(200);
  }
}

async function benchQuery(context: BenchContext, subject: Subject, row: QueryRow): Promise<void> {
  const { node, plain, table } = subject;
  const runs = sized(context, { full: 9, quick: 3 });
  const { row_count: rowCount, scan } = await node.sql.query(row.sql);
  if (row.name.startsWith('needle') && rowCount !== rareEvents) {
    throw new Error(`${rowCount} of ${rareEvents} rare events were found`);
  }
  await plain.time(row.sql);
  const times: number[] = [];
  const referenceTimes: number[] = [];
  // By turns, so that whatever else the machine does meets both.
  for (let run = 0; run < runs; run++) {
    times.push(await node.sql.time({ sql: row.sql }));
    referenceTimes.push(await plain.time(row.sql));
  }
  context.report({
    name: `sql.${row.name}`,
    value: rounded(median(times)),
    unit: 'ms',
    // The targets are for the full size.
    ...(context.mode === 'full' && { target: { at_most: row.targetMs } }),
    reference: {
      what: 'plain DuckDB on the same files',
      value: rounded(median(referenceTimes)),
      unit: 'ms',
    },
    details: {
      ...table,
      runs,
      slowest_ms: rounded(Math.max(...times)),
      rows: rowCount,
      read_bytes: scan.read_bytes,
      bound_bytes: scan.bound_bytes,
    },
  });
}

/** What a query costs before it does any work: a filter that no file can match. */
async function benchTrivial(context: BenchContext, node: NodeProcess): Promise<void> {
  const runs = sized(context, { full: 500, quick: 60 });
  const times: number[] = [];
  for (let run = 0; run < runs + 10; run++) {
    const sql = `SELECT count(*) FROM raw_events WHERE timestamp_ns < ${1000 + run}`;
    times.push(await node.sql.time({ sql }));
  }
  const warm = times.slice(10);
  context.report({
    name: 'sql.trivial',
    value: rounded(median(warm)),
    unit: 'ms',
    target: { at_most: 10 },
    details: { runs, p99_ms: rounded(percentile(warm, 0.99)) },
  });
}

async function benchExport(
  context: BenchContext,
  { node, plain }: Subject,
  format: 'csv' | 'ndjson',
): Promise<void> {
  const limit = sized(context, { full: 3_000_000, quick: 300_000 });
  const sql = `SELECT timestamp_ns, service, host, body FROM raw_events LIMIT ${limit}`;
  const before = treeUsage(node.pid);
  const sampler = new MemorySampler(node.pid);
  const exported = await node.sql.exportRows(sql, format);
  const memory = sampler.stop();
  if (format === 'ndjson' && exported.rows !== limit)
    throw new Error(`exported ${exported.rows} rows`);
  const referenceMs = await plain.copyMs(sql, format, context.directory('copy'));
  context.report({
    name: `export.${format}`,
    value: Math.round((exported.rows / exported.elapsedMs) * 1000),
    unit: 'rows/s',
    target: { at_least: 500_000 },
    reference: {
      what: 'DuckDB COPY to a file',
      value: Math.round((limit / referenceMs) * 1000),
      unit: 'rows/s',
    },
    details: {
      rows: exported.rows,
      bytes: exported.bytes,
      ...(before !== undefined &&
        memory !== undefined && {
          node_rss_growth_mib: Math.round(memory.maxMib - before.rssBytes / 2 ** 20),
        }),
    },
  });
}
