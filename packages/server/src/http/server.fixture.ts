import type { Health } from '@varve/contract';
import type { Secret } from '../base/secret.ts';
import type { TlsFiles } from '../base/tls-material.ts';
import { createAuthenticator } from '../govern/index.ts';
import { createLogger, MetricRegistry } from '../telemetry/index.ts';
import type { ConsoleAssets } from './console-assets.ts';
import type { SqlContext, SqlOutcome, SqlRun, SqlService } from './ports.ts';
import { HttpServer } from './server.ts';

export const TOKEN = 'planted-secret-4f1c';

export interface TestServerOptions {
  readonly token?: Secret;
  readonly notReady?: string;
  readonly sql?: SqlService['run'];
  readonly consoleAssets?: ConsoleAssets;
  readonly tls?: TlsFiles;
  readonly stallMs?: number;
}

export interface TestServer extends AsyncDisposable {
  readonly server: HttpServer;
  readonly sqlRuns: readonly SqlRun[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  logText(): string;
}

/** A real server on a free port; only the engine behind the SQL port is a fake. */
export async function openTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const sqlRuns: SqlRun[] = [];
  const logLines: string[] = [];
  const runSql = options.sql ?? rowsOf('{}');
  const { notReady } = options;
  const server = await HttpServer.open({
    listen: { host: '127.0.0.1', port: 0 },
    tls: options.tls,
    authenticator: createAuthenticator(options.token),
    sql: {
      run: (run: SqlRun, context: SqlContext): Promise<SqlOutcome> => {
        sqlRuns.push(run);
        return runSql(run, context);
      },
    },
    healthSource: {
      readiness: () =>
        notReady === undefined ? { isReady: true } : { isReady: false, reason: notReady },
      health: () => Promise.resolve(healthySample),
    },
    metrics: new MetricRegistry(),
    logger: createLogger({
      level: 'trace',
      format: 'json',
      destination: { write: (line) => void logLines.push(line) },
    }),
    version: '0.0.0-test',
    consoleAssets: options.consoleAssets ?? new Map(),
    ...(options.stallMs !== undefined && { stallMs: options.stallMs }),
  });
  return {
    server,
    sqlRuns,
    fetch: (path, init) => fetch(`http://${server.address}${path}`, init),
    logText: () => logLines.join(''),
    [Symbol.asyncDispose]: () => server.close(0),
  };
}

/** An engine that answers every query with these chunks. */
export function rowsOf(...chunks: readonly string[]): SqlService['run'] {
  return () => Promise.resolve({ kind: 'rows', stream: bytesOf(chunks) });
}

async function* bytesOf(chunks: readonly string[]): AsyncIterable<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

export const healthySample: Health = {
  status: 'ok',
  version: '0.0.0-test',
  node_id: 'node-1',
  uptime_seconds: 1,
  ingest: {
    status: 'ok',
    listeners: [],
    inflight_bytes: 0,
    inflight_limit_bytes: 1,
    unpublished_bytes: 0,
    unpublished_limit_bytes: 1,
  },
  storage: {
    status: 'ok',
    bucket: 'file:///bucket',
    table: { snapshot_id: null, files: 0, events: 0, bytes: 0, last_commit_at: null },
    wal: { segments: 0, bytes: 0 },
    last_error: null,
  },
  query: { running: 0, queued: 0 },
};
