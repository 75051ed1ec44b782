export interface RequestTarget {
  readonly path: string;
  readonly query: string;
  /** Whether the path was below the prefix, which `path` is without then. */
  readonly isBelowPrefix: boolean;
}

/**
 * Path and query of a request target: doubled slashes and one trailing slash are common in configured URLs and
 * mean nothing. `prefix` is `''` or like `/a/b`.
 */
export function parseTarget(target: string, prefix: string): RequestTarget {
  const withoutOrigin = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const mark = withoutOrigin.indexOf('?');
  const rawPath = mark === -1 ? withoutOrigin : withoutOrigin.slice(0, mark);
  const query = mark === -1 ? '' : withoutOrigin.slice(mark + 1);
  const path = normalPath(rawPath);
  if (path === prefix) return { path: '/', query, isBelowPrefix: true };
  const isBelowPrefix = path.startsWith(`${prefix}/`);
  return { path: isBelowPrefix ? path.slice(prefix.length) : path, query, isBelowPrefix };
}

/** One leading slash, no doubled and no trailing ones. */
export function normalPath(path: string): string {
  const single =
    path.includes('//') || !path.startsWith('/') ? `/${path}`.replaceAll(/\/{2,}/g, '/') : path;
  return single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single;
}

/** A configured prefix as `parseTarget` takes it. */
export function normalPrefix(prefix: string): string {
  const path = normalPath(prefix);
  return path === '/' ? '' : path;
}
