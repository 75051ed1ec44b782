import { setTimeout as sleep } from 'node:timers/promises';
import { sized, withNode, type BenchContext } from '../context.ts';
import { LoadGenerator } from '../load/generator.ts';
import type { LoadOutcome } from '../load/messages.ts';
import { openNullServer } from '../load/null-server.ts';
import { CpuMeter } from '../node/cpu-meter.ts';
import { MemorySampler, type MemoryReport } from '../node/memory-sampler.ts';
import type { NodeProcess } from '../node/node-process.ts';
import { decoderEventsPerSecond } from '../reference/decoder.ts';
import { syncLatenciesMs } from '../reference/disk-sync.ts';
import { rounded } from '../result.ts';
import { percentile } from '../statistics.ts';
import type { ProtocolName } from '../workload/encoded-batch.ts';
import { encodings } from '../workload/encodings.ts';

const targetEventsPerSecond: Readonly<Record<ProtocolName, number>> = {
  otlp_protobuf: 300_000,
  otlp_json: 200_000,
  bulk: 200_000,
};
const connections = 8;
const eventsPerRequest = 1000;
const requestsInPool = 64;
const seed = 20_260_801;
const mib = 1024 * 1024;

interface Sustained {
  readonly outcome: LoadOutcome;
  readonly eventsPerSecond: number;
  readonly cpu: ReturnType<CpuMeter['perMillion']>;
  readonly memory: MemoryReport | undefined;
  /** Of the first query after the load, which waits until everything acknowledged is sealed. */
  readonly backlogSeconds: number;
  readonly walMibAtEnd: number;
}

/** Events in, acknowledged after fsync, with sealing and publishing on. */
export async function benchIngest(context: BenchContext): Promise<void> {
  for (const protocol of Object.keys(encodings) as ProtocolName[]) {
    if (context.wants(`ingest.${protocol}`)) await benchProtocol(context, protocol);
  }
}

async function benchProtocol(context: BenchContext, protocol: ProtocolName): Promise<void> {
  context.note(`ingest.${protocol}: generator and references`);
  const decoder = await decoderEventsPerSecond({
    protocol,
    seed,
    requests: requestsInPool,
    eventsPerRequest,
    durationMs: sized(context, { full: 5000, quick: 400 }),
  });
  await using generator = await LoadGenerator.open({
    protocol,
    seed,
    requests: requestsInPool,
    eventsPerRequest,
  });
  const ceiling = await measureCeiling(context, generator);
  const config = sized(context, { full: {}, quick: { 'storage.publish_interval_seconds': 2 } });
  await withNode(context, { name: `ingest-${protocol}`, config }, async (node) => {
    context.note(`ingest.${protocol}: sustained load`);
    const sustained = await sustain(context, { node, generator, protocol });
    reportThroughput(context, { protocol, sustained, decoder, ceiling, generator });
    reportMemory(context, protocol, sustained);
    context.note(`ingest.${protocol}: half of that rate`);
    await settle(node, sized(context, { full: 15_000, quick: 2000 }));
    await benchLatency(context, { node, generator, protocol, sustained });
  });
}

async function measureCeiling(context: BenchContext, generator: LoadGenerator): Promise<number> {
  await using nullServer = await openNullServer();
  const durationMs = sized(context, { full: 5000, quick: 300 });
  const outcome = await generator.run({ address: nullServer.address, connections, durationMs });
  return perSecond(outcome);
}

interface Run {
  readonly node: NodeProcess;
  readonly generator: LoadGenerator;
  readonly protocol: ProtocolName;
}

async function sustain(
  context: BenchContext,
  { node, generator, protocol }: Run,
): Promise<Sustained> {
  const address = node.address(encodings[protocol].listener);
  const warmUpMs = sized(context, { full: 1000, quick: 500 });
  const warmUp = await generator.run({ address, connections, durationMs: warmUpMs });
  const sampler = new MemorySampler(node.pid);
  const meter = new CpuMeter(node.pid);
  const durationMs = sized(context, { full: 60_000, quick: 5000 });
  const outcome = await generator.run({ address, connections, durationMs });
  const cpu = meter.perMillion(outcome.acknowledgedEvents / 1e6);
  const memory = sampler.stop();
  const health = await node.sql.health();
  const startedMs = performance.now();
  const acknowledged = warmUp.acknowledgedEvents + outcome.acknowledgedEvents;
  await assertStored(node, acknowledged);
  return {
    outcome,
    eventsPerSecond: perSecond(outcome),
    cpu,
    memory,
    backlogSeconds: (performance.now() - startedMs) / 1000,
    walMibAtEnd: health.storage.wal.bytes / mib,
  };
}

/** A figure of a node that lost or doubled events is worth nothing. */
async function assertStored(node: NodeProcess, acknowledged: number): Promise<void> {
  const stored = await node.sql.scalar('SELECT count(*) FROM raw_events');
  if (stored !== acknowledged) {
    throw new Error(`${acknowledged} events were acknowledged, but ${stored} are stored`);
  }
}

function reportThroughput(
  context: BenchContext,
  run: {
    protocol: ProtocolName;
    sustained: Sustained;
    decoder: number;
    ceiling: number;
    generator: LoadGenerator;
  },
): void {
  const { outcome, eventsPerSecond, cpu, backlogSeconds, walMibAtEnd } = run.sustained;
  const millions = outcome.acknowledgedEvents / 1e6;
  context.report({
    name: `ingest.${run.protocol}`,
    value: Math.round(eventsPerSecond),
    unit: 'events/s',
    target: { at_least: targetEventsPerSecond[run.protocol] },
    reference: {
      what: 'decoder alone, one thread',
      value: Math.round(run.decoder),
      unit: 'events/s',
    },
    details: {
      seconds: rounded(outcome.elapsedMs / 1000),
      events: outcome.acknowledgedEvents,
      connections,
      events_per_request: eventsPerRequest,
      body_bytes_per_event: rounded(run.generator.bodyBytesPerEvent),
      body_mib_per_second: rounded((eventsPerSecond * run.generator.bodyBytesPerEvent) / mib),
      generator_ceiling_events_per_second: Math.round(run.ceiling),
      generator_cpu_seconds_per_million: rounded(outcome.cpuSeconds / millions),
      ...cpu,
      pushed_back_requests: outcome.pushedBack,
      wal_mib_at_end: rounded(walMibAtEnd),
      first_query_seconds: rounded(backlogSeconds),
    },
  });
}

function reportMemory(context: BenchContext, protocol: ProtocolName, { memory }: Sustained): void {
  if (memory === undefined) {
    context.note(`ingest.${protocol}: this system does not tell the memory of processes`);
    return;
  }
  context.report({
    name: `ingest.${protocol}.rss_max`,
    value: Math.round(memory.maxMib),
    unit: 'MiB',
    target: { at_most: 1536 },
    details: {
      main_process_max_mib: Math.round(memory.mainMaxMib),
      child_processes_max_mib: Math.round(memory.childrenMaxMib),
      slope_mib_per_minute: rounded(memory.slopeMibPerMinute),
      main_process_slope_mib_per_minute: rounded(memory.mainSlopeMibPerMinute),
    },
  });
}

/** Lets the node finish most of what the load left, so that the next measurement starts from a steady state. */
async function settle(node: NodeProcess, limitMs: number): Promise<void> {
  const deadlineMs = performance.now() + limitMs;
  while (performance.now() < deadlineMs) {
    const { ingest } = await node.sql.health();
    if (ingest.unpublished_bytes < 8 * mib) return;
    await sleep(100);
  }
}

async function benchLatency(
  context: BenchContext,
  run: Run & { sustained: Sustained },
): Promise<void> {
  const { node, generator, protocol, sustained } = run;
  const directory = context.directory('sync');
  const recordBytes = Math.round(generator.bodyBytesPerEvent * eventsPerRequest);
  const syncMs = syncLatenciesMs({
    directory,
    recordBytes,
    durationMs: sized(context, { full: 5000, quick: 500 }),
  });
  const eventsPerSecond = sustained.eventsPerSecond / 2;
  const outcome = await generator.run({
    address: node.address(encodings[protocol].listener),
    connections,
    eventsPerSecond,
    durationMs: sized(context, { full: 30_000, quick: 2000 }),
  });
  const details = {
    offered_events_per_second: Math.round(eventsPerSecond),
    reached_events_per_second: Math.round(perSecond(outcome)),
    requests: outcome.acknowledgedRequests,
    pushed_back_requests: outcome.pushedBack,
  };
  for (const [suffix, share, target] of [
    ['p50', 0.5, undefined],
    ['p99', 0.99, { at_most: 50 }],
  ] as const) {
    context.report({
      name: `ingest.${protocol}.ack_${suffix}`,
      value: rounded(percentile(outcome.latenciesMs, share)),
      unit: 'ms',
      ...(target !== undefined && { target }),
      reference: {
        what: `fdatasync alone ${suffix}`,
        value: rounded(percentile(syncMs, share)),
        unit: 'ms',
      },
      details,
    });
  }
}

function perSecond({ acknowledgedEvents, elapsedMs }: LoadOutcome): number {
  return (acknowledgedEvents / elapsedMs) * 1000;
}
