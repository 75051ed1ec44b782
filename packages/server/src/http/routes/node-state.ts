import type { FastifyInstance } from 'fastify';
import { buildOpenApi } from '@varve/contract';
import type { MetricRegistry } from '../../telemetry/index.ts';
import type { HealthSource } from '../ports.ts';

export interface NodeStateRouteOptions {
  readonly healthSource: HealthSource;
  readonly metrics: MetricRegistry;
  readonly version: string;
}

/** Readiness, health, metrics and the API's own description. */
export function registerNodeStateRoutes(
  app: FastifyInstance,
  options: NodeStateRouteOptions,
): void {
  const { healthSource, metrics } = options;
  const openApi = buildOpenApi(options.version);

  app.get('/ready', { config: { isPublic: true } }, async (_request, reply) => {
    const readiness = healthSource.readiness();
    reply.type('text/plain; charset=utf-8').code(readiness.isReady ? 200 : 503);
    return readiness.isReady ? 'ready\n' : `${readiness.reason}\n`;
  });

  app.get('/v1/health', async () => healthSource.health());

  app.get('/metrics', async (_request, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8');
    return metrics.render();
  });

  app.get('/v1/openapi.json', async () => openApi);
}
