import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** One file of the built console, held in memory. */
export interface ConsoleAsset {
  readonly body: Buffer;
  /** Absent where compression does not pay. */
  readonly gzipped: Buffer | undefined;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly etag: string;
}

/** Assets by URL path. A request is a look-up in this map, so no path can leave the folder. */
export type ConsoleAssets = ReadonlyMap<string, ConsoleAsset>;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
};

const COMPRESSIBLE = /^(text\/|application\/(json|wasm|manifest)|image\/svg)/;

/** A file whose name holds a hash of its content never changes. */
const HASHED_NAME = /[-.][\w-]{8,}\.\w+$/;

const compress = promisify(gzip);

/** Reads the built console; empty when it was not built. */
export async function loadConsoleAssets(directory: string): Promise<ConsoleAssets> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  const assets = new Map<string, ConsoleAsset>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const url = `/${relative(directory, path).split(sep).join('/')}`;
    assets.set(url, await toAsset(url, await readFile(path)));
  }
  return assets;
}

async function toAsset(url: string, body: Buffer): Promise<ConsoleAsset> {
  const contentType = CONTENT_TYPES[extname(url)] ?? 'application/octet-stream';
  const isImmutable = url.startsWith('/assets/') && HASHED_NAME.test(url);
  return {
    body,
    gzipped:
      COMPRESSIBLE.test(contentType) && body.length > 1024 ? await compress(body) : undefined,
    contentType,
    cacheControl: isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
  };
}
