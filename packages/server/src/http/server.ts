import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { systemClock, type Clock } from '../base/clock.ts';
import { NodeError } from '../base/errors.ts';
import { formatListenAddress, type ListenAddress } from '../base/listen-address.ts';
import { readTlsMaterial, type TlsFiles } from '../base/tls-material.ts';
import type { Authenticator } from '../govern/index.ts';
import type { Logger, MetricRegistry } from '../telemetry/index.ts';
import type { ConsoleAssets } from './console-assets.ts';
import { registerFallback } from './fallback.ts';
import type { HealthSource, SqlService } from './ports.ts';
import { API_BODY_LIMIT_BYTES, PROBLEM_TYPE, renderRawProblem, toProblem } from './problem.ts';
import { registerGuards, registerRequestLog } from './request-hooks.ts';
import { requestIdOf } from './request-id.ts';
import { registerNodeStateRoutes } from './routes/node-state.ts';
import { registerSqlRoute } from './routes/sql.ts';
import { API_HEADERS, BASE_HEADERS } from './security-headers.ts';
import { defaultStallMs } from './stream-body.ts';
import { createServer } from './tls.ts';

export interface HttpServerOptions {
  readonly listen: Exclude<ListenAddress, 'off'>;
  readonly tls?: TlsFiles | undefined;
  readonly authenticator: Authenticator;
  readonly sql: SqlService;
  readonly healthSource: HealthSource;
  readonly metrics: MetricRegistry;
  readonly logger: Logger;
  readonly version: string;
  readonly consoleAssets?: ConsoleAssets;
  readonly clock?: Clock;
  /** A client that takes no byte of an answer for this long is cut off; default a minute. */
  readonly stallMs?: number;
}

/**
 * The API port: owns the listening socket and every connection on it. It answers `/ready` from the moment
 * it is open, so it is opened before the node is ready to serve anything else.
 */
export class HttpServer implements AsyncDisposable {
  /** What the port is really bound to. */
  readonly address: string;
  readonly #app: FastifyInstance;
  readonly #stopping: AbortController;
  readonly #clock: Clock;
  readonly #reloadTls: () => Promise<void>;

  private constructor(parts: {
    readonly app: FastifyInstance;
    readonly stopping: AbortController;
    readonly clock: Clock;
    readonly reloadTls: () => Promise<void>;
  }) {
    this.#app = parts.app;
    this.#stopping = parts.stopping;
    this.#clock = parts.clock;
    this.#reloadTls = parts.reloadTls;
    const bound = parts.app.server.address() as AddressInfo;
    this.address = formatListenAddress({ host: bound.address, port: bound.port });
  }

  /** Resolves once the port accepts connections. */
  static async open(options: HttpServerOptions): Promise<HttpServer> {
    const { tls, listen } = options;
    const stopping = new AbortController();
    const material = tls === undefined ? undefined : await readTlsMaterial(tls);
    const servers = new Set<Server>();
    const app = Fastify({
      logger: false,
      bodyLimit: API_BODY_LIMIT_BYTES,
      genReqId: requestIdOf,
      requestIdHeader: false,
      return503OnClosing: false,
      serverFactory: (handler) => {
        const server = createServer(material, handler);
        servers.add(server);
        return server;
      },
      clientErrorHandler: (error, socket) => {
        if (socket.writable) socket.end(renderRawProblem(error, requestIdOf({ headers: {} })));
        else socket.destroy();
      },
      frameworkErrors: (error, request, reply) => {
        const { document } = toProblem(error, request.id);
        const headers = { ...BASE_HEADERS, ...API_HEADERS, 'content-type': PROBLEM_TYPE };
        reply.raw.writeHead(document.status, headers).end(JSON.stringify(document));
      },
    });
    configure(app, options, stopping.signal);
    try {
      await app.listen({ host: listen.host, port: listen.port });
    } catch (cause) {
      await app.close();
      throw listenError(listen, cause);
    }
    const reloadTls = async (): Promise<void> => {
      if (tls === undefined) return;
      const fresh = await readTlsMaterial(tls);
      for (const server of servers) {
        if ('setSecureContext' in server && typeof server.setSecureContext === 'function') {
          server.setSecureContext(fresh);
        }
      }
    };
    return new HttpServer({ app, stopping, clock: options.clock ?? systemClock, reloadTls });
  }

  /** Takes renewed certificates into use for new connections; without TLS it does nothing. */
  async reloadTls(): Promise<void> {
    await this.#reloadTls();
  }

  /**
   * Stops accepting, lets running requests finish for up to `graceMs`, then cancels their queries
   * and cuts them.
   */
  async close(graceMs = 10_000): Promise<void> {
    const closing = this.#app.close();
    const cancelTimer = this.#clock.after(graceMs, () => {
      this.#stopping.abort(new NodeError('node_not_ready', 'the node is stopping'));
      this.#app.server.closeAllConnections();
    });
    await closing;
    cancelTimer();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function configure(app: FastifyInstance, options: HttpServerOptions, stopping: AbortSignal): void {
  const { sql, logger, authenticator } = options;
  // JSON is the only body the API takes; the framework's text parser would let others in.
  app.removeContentTypeParser('text/plain');
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error, request.id);
    if (problem.document.status >= 500) {
      const isBug = problem.document.code === 'node_internal';
      logger[isBug ? 'error' : 'warn']({ err: error, request_id: request.id }, 'a request failed');
    }
    reply.removeHeader('content-disposition');
    reply.code(problem.document.status).headers(problem.headers).type(PROBLEM_TYPE);
    return reply.send(problem.document);
  });
  registerRequestLog(app, options);
  registerGuards(app, options);
  registerFallback(app, { authenticator, consoleAssets: options.consoleAssets ?? new Map() });
  registerNodeStateRoutes(app, options);
  registerSqlRoute(app, { sql, stopping, logger, stallMs: options.stallMs ?? defaultStallMs });
}

function listenError(listen: Exclude<ListenAddress, 'off'>, cause: unknown): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  const reason = code === 'EADDRINUSE' ? 'the port is in use' : `it cannot be bound (${code})`;
  return new NodeError(
    'config_invalid',
    `server.listen ${formatListenAddress(listen)}: ${reason}`,
    {
      cause,
    },
  );
}
