import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdCompressSync, constants } from 'node:zlib';
import { sized, withNode, type BenchContext } from '../context.ts';
import { LoadGenerator } from '../load/generator.ts';
import type { NodeProcess } from '../node/node-process.ts';
import { rounded } from '../result.ts';
import { percentile } from '../statistics.ts';
import { encodings } from '../workload/encodings.ts';
import { Random } from '../workload/random.ts';
import { makePool } from '../workload/request-pool.ts';

const seed = 20_260_802;
const eventsPerRequest = 1000;

/** What an event takes in the bucket, and how soon it can be read. */
export async function benchStorage(context: BenchContext): Promise<void> {
  if (context.wants('storage.bytes_per_event')) await benchStoredSize(context);
  if (context.wants('freshness.idle', 'freshness.loaded')) await benchFreshness(context);
}

async function benchStoredSize(context: BenchContext): Promise<void> {
  const requests = sized(context, { full: 1500, quick: 100 });
  context.note(`storage: ${requests * eventsPerRequest} events`);
  // As many requests as are sent: no message text comes twice.
  await using generator = await LoadGenerator.open({
    protocol: 'otlp_protobuf',
    seed,
    requests,
    eventsPerRequest,
  });
  await withNode(context, { name: 'stored-size' }, async (node) => {
    const events = requests * eventsPerRequest;
    const { acknowledgedEvents } = await generator.run({
      address: node.address('otlp_http'),
      connections: 8,
      events,
      eventsPerSecond: 100_000,
    });
    const stored = await node.sql.scalar('SELECT count(*) FROM raw_events');
    if (stored !== acknowledgedEvents)
      throw new Error(`stored ${stored} of ${acknowledgedEvents} events`);
    // Stopping publishes the rest.
    await node.stop();
    const files = dataFiles(node);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    const json = zstdBytesPerEvent(sized(context, { full: 500, quick: 50 }));
    context.report({
      name: 'storage.bytes_per_event',
      value: rounded(bytes / acknowledgedEvents),
      unit: 'bytes',
      target: { at_most: 60 },
      reference: { what: 'zstd -3 of the JSON lines', value: rounded(json.zstd), unit: 'bytes' },
      details: {
        events: acknowledgedEvents,
        files: files.length,
        json_bytes_per_event: rounded(json.plain),
        times_smaller_than_json: rounded((json.plain * acknowledgedEvents) / bytes),
      },
    });
  });
}

/** Data files of the table in the node's local bucket. */
export function dataFiles(node: NodeProcess): string[] {
  const directory = join(node.dataDir, 'bucket', 'varve', 'raw_events', 'data');
  return readdirSync(directory)
    .filter((name) => name.endsWith('.parquet'))
    .map((name) => join(directory, name));
}

function zstdBytesPerEvent(requests: number): { plain: number; zstd: number } {
  const pool = makePool({ encoding: encodings.bulk, seed, requests, eventsPerRequest });
  const lines = pool.flatMap((request) =>
    request
      .body()
      .toString()
      .split('\n')
      .filter((line) => line.startsWith('{"@timestamp"')),
  );
  const plain = Buffer.from(`${lines.join('\n')}\n`);
  const zstd = zstdCompressSync(plain, { params: { [constants.ZSTD_c_compressionLevel]: 3 } });
  return { plain: plain.length / lines.length, zstd: zstd.length / lines.length };
}

/**
 * Sends one event, and asks for it as soon as it is acknowledged. The first answer must hold it: an event that is
 * acknowledged is there for every query that starts afterwards.
 */
async function benchFreshness(context: BenchContext): Promise<void> {
  const tries = sized(context, { full: 200, quick: 15 });
  const background = 50_000;
  await using generator = await LoadGenerator.open({
    protocol: 'otlp_protobuf',
    seed,
    requests: 64,
    eventsPerRequest,
  });
  await withNode(context, { name: 'freshness' }, async (node) => {
    context.note('freshness: idle');
    reportFreshness(context, {
      name: 'idle',
      delaysMs: await askForOwnEvents(node, tries),
      background: 0,
    });
    context.note(`freshness: at ${background} events/s`);
    const isOver = new AbortController();
    const delays = askForOwnEvents(node, tries).finally(() => isOver.abort());
    await loadUntil(generator, node, { eventsPerSecond: background, signal: isOver.signal });
    reportFreshness(context, { name: 'loaded', delaysMs: await delays, background });
  });
}

async function loadUntil(
  generator: LoadGenerator,
  node: NodeProcess,
  { eventsPerSecond, signal }: { eventsPerSecond: number; signal: AbortSignal },
): Promise<void> {
  const address = node.address('otlp_http');
  while (!signal.aborted) {
    await generator.run({ address, connections: 8, eventsPerSecond, durationMs: 1000 });
  }
}

async function askForOwnEvents(node: NodeProcess, tries: number): Promise<number[]> {
  const random = new Random(seed);
  const { host, port } = node.address('otlp_http');
  const delays: number[] = [];
  for (let index = 0; index < tries; index++) {
    const token = `fresh-${random.hex(16)}`;
    const nowNs = `${Date.now()}000000`;
    const record = { timeUnixNano: nowNs, body: { stringValue: token } };
    const reply = await fetch(`http://${host}:${port}/v1/logs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }),
    });
    if (reply.status !== 200) throw new Error(`an event was answered ${reply.status}`);
    await reply.arrayBuffer();
    const acknowledgedMs = performance.now();
    const found = await node.sql.scalar(
      `SELECT count(*) FROM raw_events WHERE timestamp_ns >= ${nowNs} AND body = '${token}'`,
    );
    if (found !== 1) throw new Error(`an acknowledged event was found ${found} times`);
    delays.push(performance.now() - acknowledgedMs);
    // Off the rhythm of the seal interval.
    await sleep(random.between(5, 40));
  }
  return delays;
}

function reportFreshness(
  context: BenchContext,
  run: { name: string; delaysMs: readonly number[]; background: number },
): void {
  for (const [suffix, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    context.report({
      name: `freshness.${run.name}.${suffix}`,
      value: rounded(percentile(run.delaysMs, share)),
      unit: 'ms',
      ...(suffix === 'p99' && { target: { at_most: 1000 } }),
      details: {
        tries: run.delaysMs.length,
        background_events_per_second: run.background,
        always_in_first_answer: true,
      },
    });
  }
}
