import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleAsset, ConsoleAssets } from '../console-assets.ts';
import { CONSOLE_HEADERS } from '../security-headers.ts';

const INDEX = '/index.html';

/** Paths that belong to the API and never fall back to the console's page. */
const API_PATH = /^\/(v1|ready|metrics|iceberg|console\/api)(\/|$)/;

/**
 * Serves the console for a GET or HEAD that no route took. A path without a file gets the console's page
 * only when a browser navigates to it (it accepts HTML), so a missing script is a 404 and not a page.
 * Returns false when the request is not the console's.
 */
export function serveConsole(
  assets: ConsoleAssets,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const path = request.url.split('?', 1)[0] ?? '/';
  const isNavigation = /\btext\/html\b/.test(request.headers.accept ?? '') && !API_PATH.test(path);
  const asset =
    assets.get(path === '/' ? INDEX : path) ?? (isNavigation ? assets.get(INDEX) : undefined);
  if (asset === undefined) return false;
  sendAsset(asset, request, reply);
  return true;
}

function sendAsset(asset: ConsoleAsset, request: FastifyRequest, reply: FastifyReply): void {
  reply
    .code(200)
    .headers(CONSOLE_HEADERS)
    .header('cache-control', asset.cacheControl)
    .header('content-type', asset.contentType)
    .header('etag', asset.etag)
    .header('vary', 'Accept-Encoding');
  if (request.headers['if-none-match'] === asset.etag) {
    reply.code(304).send();
    return;
  }
  const acceptsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (acceptsGzip && asset.gzipped !== undefined) {
    reply.header('content-encoding', 'gzip').send(asset.gzipped);
  } else {
    reply.send(asset.body);
  }
}
