import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { NodeError } from '../base/errors.ts';
import { formatListenAddress } from '../base/listen-address.ts';
import { nodeFileSystem } from '../base/node-file-system.ts';
import { tlsFilesOf } from '../base/tls-material.ts';
import { VERSION } from '../base/version.ts';
import { rawEventsSchema } from '../columns/index.ts';
import type { Config } from '../config/index.ts';
import { createAuthenticator } from '../govern/index.ts';
import { HttpServer, loadConsoleAssets, type SqlService } from '../http/index.ts';
import { InflightBudget, type IngestListener } from '../ingest/http/index.ts';
import type { Pipeline } from '../pipeline/index.ts';
import { defaultQueryOptions, QueryEngine, QueryService } from '../query/index.ts';
import { type Logger, MetricRegistry } from '../telemetry/index.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { registerEventLoopDelay } from './event-loop-delay.ts';
import { NodeHealth } from './health.ts';
import { openListeners } from './listeners.ts';
import { registerNodeMetrics } from './metrics.ts';
import { loadNodeId } from './node-id.ts';
import { type OpenedPipeline, openPipeline } from './open-pipeline.ts';
import { createSqlService } from './sql-service.ts';

export interface OpenNodeOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Aborted when the operator wants the node to stop, also while it is still starting. */
  readonly signal?: AbortSignal;
  /** A part the node cannot do without has failed; the process should end, and be started again. */
  readonly onFailure?: (error: NodeError) => void;
}

/** A running node. `close()` stops listeners first, finishes what was taken, then closes storage. */
export interface Node extends AsyncDisposable {
  /** Real address of each open listener, by its name: `server`, `otlp_http`, `bulk`, … */
  readonly addresses: Readonly<Record<string, string>>;
  /** Reads certificates again (SIGHUP). */
  reload(): Promise<void>;
  close(): Promise<void>;
}

const consoleDirectory = join(import.meta.dirname, '../../../console/dist');

/**
 * Composition root: builds every part from the configuration and wires them together. The API port opens first,
 * so that `/ready` tells what the node is doing; the ingest listeners open last, when events can be stored.
 */
export async function openNode(options: OpenNodeOptions): Promise<Node> {
  const { config, logger, signal } = options;
  const closers = new AsyncDisposableStack();
  try {
    await mkdir(config.dataDir, { recursive: true });
    closers.defer(await lockDataDir(config.dataDir));
    const budget = new InflightBudget(config.ingest.maxInflightBytes);
    const health = new NodeHealth({
      nodeId: await loadNodeId(nodeFileSystem, config.dataDir),
      bucket: `file://${config.storage.bucket.path}`,
      clock: systemClock,
      budget,
    });
    const sql = new PendingSql();
    const metrics = new MetricRegistry();
    registerNodeMetrics(metrics, health);
    registerEventLoopDelay(metrics);
    const server = await openServer(options, { health, sql, metrics });
    closers.defer(() => server.close());
    const opened = await openStorage(options, health);
    closers.defer(() => opened.terminate());
    signal?.throwIfAborted();
    const engine = await openEngine(config, logger);
    closers.defer(() => engine.close());
    const queries = new QueryService({
      engine,
      clock: systemClock,
      scanGuard: config.query.scanGuard,
      maxSeconds: config.query.maxSeconds,
    });
    const { pipeline } = opened;
    sql.set(createSqlService(queries, pipeline));
    const port = {
      isAccepting: () => pipeline.isAccepting(),
      submit: (request: Parameters<Pipeline['submit']>[0]) => pipeline.submit(request),
    };
    const listeners = await openListeners({ config, port, budget, logger });
    health.setReady({ pipeline, queries, listeners });
    return runningNode({ server, listeners, pipeline, health, closers });
  } catch (error) {
    await closers.disposeAsync();
    throw error;
  }
}

async function openServer(
  { config, logger }: OpenNodeOptions,
  parts: { health: NodeHealth; sql: SqlService; metrics: MetricRegistry },
): Promise<HttpServer> {
  const { listen, tls } = config.server;
  if (listen === 'off') throw new NodeError('config_invalid', 'server.listen cannot be off');
  return HttpServer.open({
    listen,
    tls: tlsFilesOf('server.tls', tls),
    authenticator: createAuthenticator(config.auth.queryApiToken),
    sql: parts.sql,
    healthSource: parts.health,
    metrics: parts.metrics,
    logger: logger.child({ module: 'http' }),
    version: VERSION,
    consoleAssets: await loadConsoleAssets(consoleDirectory),
  });
}

async function openStorage(options: OpenNodeOptions, health: NodeHealth): Promise<OpenedPipeline> {
  const { config, logger, onFailure } = options;
  health.setReason('replaying the log');
  return openPipeline({
    config,
    nodeId: health.nodeId,
    logger: logger.child({ module: 'pipeline' }),
    onProgress(sealed, total) {
      health.setReason(`replaying the log: ${sealed} of ${total} segments`);
    },
    onFailure(error) {
      logger.fatal({ err: error }, 'a worker of the node ended');
      onFailure?.(error);
    },
  });
}

function openEngine(config: Config, logger: Logger): Promise<QueryEngine> {
  const defaults = defaultQueryOptions();
  const { maxConcurrent, memoryLimitBytes, queueTimeoutSeconds, scanGuard } = config.query;
  return QueryEngine.open({
    query: {
      ...defaults,
      max_concurrent: maxConcurrent ?? defaults.max_concurrent,
      memory_limit_bytes: memoryLimitBytes ?? defaults.memory_limit_bytes,
      queue_timeout_seconds: queueTimeoutSeconds,
      scan_guard: scanGuard,
    },
    schemas: [rawEventsSchema],
    workDirectory: join(config.dataDir, 'query'),
    dataDirectories: [join(config.dataDir, 'sealed'), config.storage.bucket.path],
    clock: systemClock,
    onEngineExit: (reason) => logger.warn(reason, 'a query process ended and is started again'),
  });
}

/** Until the query engine is open; the API refuses queries before that by readiness. */
class PendingSql implements SqlService {
  #service: SqlService | undefined;

  set(service: SqlService): void {
    this.#service = service;
  }

  async run(...request: Parameters<SqlService['run']>): ReturnType<SqlService['run']> {
    if (this.#service === undefined) throw new NodeError('node_not_ready', 'the node is starting');
    return this.#service.run(...request);
  }
}

function runningNode(parts: {
  server: HttpServer;
  listeners: readonly IngestListener[];
  pipeline: Pipeline;
  health: NodeHealth;
  closers: AsyncDisposableStack;
}): Node {
  const { server, listeners, pipeline, health, closers } = parts;
  let closing: Promise<void> | undefined;
  const closeOnce = async (): Promise<void> => {
    health.setReason('stopping');
    await Promise.all(listeners.map((listener) => listener.close()));
    try {
      await pipeline.drain();
    } finally {
      await closers.disposeAsync();
    }
  };
  const close = (): Promise<void> => (closing ??= closeOnce());
  const named = listeners.map((listener) => [
    listener.account().listener,
    formatListenAddress(listener.address),
  ]);
  return {
    addresses: { server: server.address, ...Object.fromEntries(named) },
    reload: async () => {
      await Promise.all([server, ...listeners].map((port) => port.reloadTls()));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
