import type { Health, HealthStatus, ListenerHealth } from '@varve/contract';
import type { Clock } from '../base/clock.ts';
import { formatListenAddress } from '../base/listen-address.ts';
import { VERSION } from '../base/version.ts';
import type { HealthSource, Readiness } from '../http/index.ts';
import type { InflightBudget, IngestListener } from '../ingest/http/index.ts';
import type { Pipeline } from '../pipeline/index.ts';
import type { QueryService } from '../query/index.ts';

/** The parts of a node that runs. */
export interface RunningParts {
  readonly pipeline: Pipeline;
  readonly queries: QueryService;
  readonly listeners: readonly IngestListener[];
}

export interface NodeHealthOptions {
  readonly nodeId: string;
  readonly bucket: string;
  readonly clock: Clock;
  readonly budget: InflightBudget;
}

/** What the node says of itself, from the first moment to the last. */
export class NodeHealth implements HealthSource {
  readonly #options: NodeHealthOptions;
  readonly #startedMs: number;
  #readiness: Readiness = { isReady: false, reason: 'starting' };
  #parts: RunningParts | undefined;

  constructor(options: NodeHealthOptions) {
    this.#options = options;
    this.#startedMs = options.clock.monotonicMs();
  }

  get nodeId(): string {
    return this.#options.nodeId;
  }

  setReason(reason: string): void {
    this.#readiness = { isReady: false, reason };
  }

  setReady(parts: RunningParts): void {
    this.#parts = parts;
    this.#readiness = { isReady: true };
  }

  readiness(): Readiness {
    return this.#readiness;
  }

  health(): Promise<Health> {
    return Promise.resolve(this.snapshot());
  }

  snapshot(): Health {
    const { nodeId, clock } = this.#options;
    const ingest = this.#ingest();
    const storage = this.#storage();
    return {
      status: this.#readiness.isReady ? worst([ingest.status, storage.status]) : 'failing',
      version: VERSION,
      node_id: nodeId,
      uptime_seconds: Math.round((clock.monotonicMs() - this.#startedMs) / 1000),
      ingest,
      storage,
      query: this.#parts?.queries.load ?? { running: 0, queued: 0 },
    };
  }

  #ingest(): Health['ingest'] {
    const { budget } = this.#options;
    const pipeline = this.#parts?.pipeline;
    const isFailing = pipeline?.wal.isFailing === true;
    const isAccepting = pipeline?.isAccepting() === true;
    return {
      status: isFailing ? 'failing' : isAccepting ? 'ok' : 'degraded',
      listeners: this.#parts?.listeners.map(listenerHealth) ?? [],
      inflight_bytes: budget.usedBytes,
      inflight_limit_bytes: budget.limitBytes,
      unpublished_bytes: pipeline?.unpublishedBytes ?? 0,
      unpublished_limit_bytes: pipeline?.unpublishedLimitBytes ?? 0,
    };
  }

  #storage(): Health['storage'] {
    const pipeline = this.#parts?.pipeline;
    const state = pipeline?.state;
    const lastError = pipeline?.lastError ?? null;
    const committedAtMs = state?.lastCommitAtMs;
    return {
      status: lastError === null ? 'ok' : 'degraded',
      bucket: this.#options.bucket,
      table: {
        snapshot_id: state?.snapshotId ?? null,
        ...(state?.totals ?? { files: 0, events: 0, bytes: 0 }),
        last_commit_at: committedAtMs === undefined ? null : new Date(committedAtMs).toISOString(),
      },
      wal: { segments: pipeline?.wal.segments ?? 0, bytes: pipeline?.wal.bytes ?? 0 },
      last_error: lastError,
    };
  }
}

function listenerHealth(listener: IngestListener): ListenerHealth {
  const account = listener.account();
  const { lastEventAtMs } = account;
  return {
    name: account.listener,
    address: formatListenAddress(listener.address),
    accepting: account.accepting,
    received: account.received,
    stored: account.stored,
    deduplicated: account.deduplicated,
    rejected: Object.values(account.rejected).reduce((sum, count) => sum + count, 0),
    rejected_by_reason: account.rejected,
    last_event_at: lastEventAtMs === undefined ? null : new Date(lastEventAtMs).toISOString(),
  };
}

const severity: readonly HealthStatus[] = ['ok', 'degraded', 'failing'];

function worst(statuses: readonly HealthStatus[]): HealthStatus {
  return severity[Math.max(...statuses.map((status) => severity.indexOf(status)))] ?? 'failing';
}
