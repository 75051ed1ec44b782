import { join } from 'node:path';
import { NodeError } from './base/errors.ts';
import { VERSION } from './base/version.ts';
import type { Config } from './config/index.ts';
import { createAuthenticator } from './govern/index.ts';
import { HttpServer, loadConsoleAssets, type HealthSource } from './http/index.ts';
import { MetricRegistry, type Logger } from './telemetry/index.ts';

export interface OpenNodeOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Aborted when the operator wants the node to stop, also while it is still starting. */
  readonly signal?: AbortSignal;
}

/** A running node. `close()` stops listeners first, finishes what was taken, then closes storage. */
export interface Node extends AsyncDisposable {
  /** Real address of each open listener, by its name: `server`, `otlp_http`, `bulk`, … */
  readonly addresses: Readonly<Record<string, string>>;
  /** Reads certificates again (SIGHUP). */
  reload(): Promise<void>;
  close(): Promise<void>;
}

const CONSOLE_DIRECTORY = join(import.meta.dirname, '../../console/dist');

/** Composition root: builds every part from the configuration and wires them together. */
export async function openNode({ config, logger }: OpenNodeOptions): Promise<Node> {
  const { listen, tls } = config.server;
  if (listen === 'off') throw new NodeError('config_invalid', 'server.listen cannot be off');
  const { certFile, keyFile } = tls;
  const healthSource = pendingHealthSource();
  const server = await HttpServer.open({
    listen,
    tls: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
    authenticator: createAuthenticator(config.auth.queryApiToken),
    sql: {
      run: () =>
        Promise.reject(new NodeError('node_not_ready', 'the query engine is not open yet')),
    },
    healthSource,
    metrics: new MetricRegistry(),
    logger: logger.child({ module: 'http' }),
    version: VERSION,
    consoleAssets: await loadConsoleAssets(CONSOLE_DIRECTORY),
  });
  const close = (): Promise<void> => server.close();
  return {
    addresses: { server: server.address },
    reload: () => server.reloadTls(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function pendingHealthSource(): HealthSource {
  return {
    readiness: () => ({ isReady: false, reason: 'starting' }),
    health: () => Promise.reject(new NodeError('node_not_ready', 'starting')),
  };
}
