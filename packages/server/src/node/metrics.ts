import type { Health } from '@varve/contract';
import type { MetricRegistry } from '../telemetry/index.ts';
import type { NodeHealth } from './health.ts';

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

interface MetricSpec {
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly read: (health: Health) => readonly Sample[];
}

type Listener = Health['ingest']['listeners'][number];

const perListener =
  (read: (listener: Listener) => number) =>
  ({ ingest }: Health): readonly Sample[] =>
    ingest.listeners.map((listener) => ({
      labels: { listener: listener.name },
      value: read(listener),
    }));

const one =
  (read: (health: Health) => number) =>
  (health: Health): readonly Sample[] => [{ value: read(health) }];

function rejected({ ingest }: Health): readonly Sample[] {
  return ingest.listeners.flatMap(({ name, rejected_by_reason: byReason }) =>
    Object.entries(byReason).map(([reason, value]) => ({
      labels: { listener: name, reason },
      value,
    })),
  );
}

const specs: readonly MetricSpec[] = [
  {
    type: 'counter',
    name: 'varve_ingest_events_received_total',
    help: 'Events received: stored, deduplicated and rejected ones together.',
    read: perListener((listener) => listener.received),
  },
  {
    type: 'counter',
    name: 'varve_ingest_events_stored_total',
    help: 'Events made durable and acknowledged.',
    read: perListener((listener) => listener.stored),
  },
  {
    type: 'counter',
    name: 'varve_ingest_events_deduplicated_total',
    help: 'Events left out because their stable id was stored before.',
    read: perListener((listener) => listener.deduplicated),
  },
  {
    type: 'counter',
    name: 'varve_ingest_events_rejected_total',
    help: 'Events refused, by error code.',
    read: rejected,
  },
  {
    type: 'gauge',
    name: 'varve_ingest_inflight_bytes',
    help: 'Request body bytes being processed across all HTTP listeners.',
    read: one(({ ingest }) => ingest.inflight_bytes),
  },
  {
    type: 'gauge',
    name: 'varve_ingest_unpublished_bytes',
    help: 'Data received but not yet in the bucket.',
    read: one(({ ingest }) => ingest.unpublished_bytes),
  },
  {
    type: 'gauge',
    name: 'varve_wal_segments',
    help: 'Segments of the write-ahead log that hold events.',
    read: one(({ storage }) => storage.wal.segments),
  },
  {
    type: 'gauge',
    name: 'varve_wal_bytes',
    help: 'Size of the write-ahead log.',
    read: one(({ storage }) => storage.wal.bytes),
  },
  {
    type: 'gauge',
    name: 'varve_table_files',
    help: 'Data files of the table.',
    read: one(({ storage }) => storage.table.files),
  },
  {
    type: 'gauge',
    name: 'varve_table_events',
    help: 'Events in the data files of the table.',
    read: one(({ storage }) => storage.table.events),
  },
  {
    type: 'gauge',
    name: 'varve_table_bytes',
    help: 'Size of the data files of the table.',
    read: one(({ storage }) => storage.table.bytes),
  },
  {
    type: 'gauge',
    name: 'varve_queries_running',
    help: 'Queries that run now.',
    read: one(({ query }) => query.running),
  },
  {
    type: 'gauge',
    name: 'varve_queries_queued',
    help: 'Queries that wait for their turn.',
    read: one(({ query }) => query.queued),
  },
];

/** The figures of `GET /v1/health` as Prometheus metrics, read when they are asked for. */
export function registerNodeMetrics(metrics: MetricRegistry, health: NodeHealth): void {
  for (const { type, name, help, read } of specs) {
    metrics.observed(type, { name, help }, () => read(health.snapshot()));
  }
}
