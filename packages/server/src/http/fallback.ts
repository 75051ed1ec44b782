import type { FastifyInstance, FastifyRequest } from 'fastify';
import { NodeError } from '../base/errors.ts';
import type { Authenticator } from '../govern/index.ts';
import type { ConsoleAssets } from './console-assets.ts';
import { authenticate } from './request-hooks.ts';
import { RouteTable } from './route-table.ts';
import { serveConsole } from './routes/console.ts';

export interface FallbackOptions {
  readonly authenticator: Authenticator;
  readonly consoleAssets: ConsoleAssets;
}

/**
 * Requests that no route takes: 405 with `Allow`, the console, or 404. Below `/v1` credentials come
 * first, so nobody learns the routes without them. Must be registered before the routes.
 */
export function registerFallback(app: FastifyInstance, options: FallbackOptions): void {
  const routes = new RouteTable();
  app.addHook('onRoute', ({ url, method }) => {
    routes.add(url, Array.isArray(method) ? method : [method]);
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request);
    if (/^\/v1(\/|$)/.test(path)) await authenticate(options.authenticator, request);
    const allow = routes.methodsAt(path);
    if (allow.length > 0) {
      throw new NodeError('request_method_not_allowed', `use ${allow.join(' or ')} here`, {
        details: { allow },
      });
    }
    if (serveConsole(options.consoleAssets, request, reply)) return reply;
    throw new NodeError('request_not_found', notFoundDetail(path, options.consoleAssets));
  });
}

function notFoundDetail(path: string, assets: ConsoleAssets): string {
  return path === '/' && assets.size === 0
    ? 'the console is not part of this installation; the api is below /v1'
    : 'there is nothing at this path';
}

function pathOf(request: FastifyRequest): string {
  const raw = request.url.split('?', 1)[0] ?? '/';
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}
