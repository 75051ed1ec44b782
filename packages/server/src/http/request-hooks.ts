import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Permission } from '@varve/contract';
import { NodeError } from '../base/errors.ts';
import { requirePermission, type Authenticator, type Principal } from '../govern/index.ts';
import type { Logger, MetricRegistry } from '../telemetry/index.ts';
import type { HealthSource } from './ports.ts';
import { API_HEADERS, BASE_HEADERS } from './security-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Needs no credentials. Every other route does. */
    isPublic?: boolean;
    permission?: Permission;
    /** Answers 503 while the node starts or stops. */
    needsReadyNode?: boolean;
  }
  interface FastifyRequest {
    /** Set before any handler that is not public. */
    principal: Principal;
  }
}

export interface GuardOptions {
  readonly authenticator: Authenticator;
  readonly healthSource: HealthSource;
}

const NOT_READY_RETRY_MS = 1000;

/** Headers first, then who asks, whether they may, and whether the node can serve it. */
export function registerGuards(app: FastifyInstance, options: GuardOptions): void {
  app.decorateRequest('principal');
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...BASE_HEADERS, ...API_HEADERS, 'x-request-id': request.id });
    const { isPublic, permission, needsReadyNode } = request.routeOptions.config;
    if (isPublic === true || request.is404) return;
    await authenticate(options.authenticator, request);
    if (permission !== undefined) requirePermission(request.principal, permission);
    const readiness = options.healthSource.readiness();
    if (needsReadyNode === true && !readiness.isReady) {
      throw new NodeError('node_not_ready', readiness.reason, { retryAfterMs: NOT_READY_RETRY_MS });
    }
  });
}

export async function authenticate(
  authenticator: Authenticator,
  request: FastifyRequest,
): Promise<void> {
  request.principal = await authenticator.authenticate({ headers: request.headers });
}

export interface RequestLogOptions {
  readonly logger: Logger;
  readonly metrics: MetricRegistry;
}

/** One line and one measurement per request. Query strings and bodies are never logged. */
export function registerRequestLog(app: FastifyInstance, options: RequestLogOptions): void {
  const duration = options.metrics.histogram(
    'varve_http_request_duration_seconds',
    'Duration of API requests by route, method and status.',
  );
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const status = reply.raw.statusCode;
    const method = request.is404 ? 'any' : request.method;
    duration.observe(reply.elapsedTime / 1000, { route, method, status: String(status) });
    const fields = {
      request_id: request.id,
      method: request.method,
      route,
      status,
      elapsed_ms: Math.round(reply.elapsedTime * 10) / 10,
      principal: request.principal?.name,
    };
    const isNoise = request.routeOptions.config.isPublic === true || request.is404;
    options.logger[isNoise || route !== '/v1/sql' ? 'debug' : 'info'](fields, 'answered a request');
  });
}
