export interface RequestTarget {
  readonly path: string;
  readonly query: string;
}

/**
 * Path and query of a request target: doubled slashes and one trailing slash are common in configured URLs and
 * mean nothing. Undefined when the path is outside `prefix` (`''`, or `/a/b`).
 */
export function parseTarget(target: string, prefix: string): RequestTarget | undefined {
  const withoutOrigin = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const mark = withoutOrigin.indexOf('?');
  const rawPath = mark === -1 ? withoutOrigin : withoutOrigin.slice(0, mark);
  const query = mark === -1 ? '' : withoutOrigin.slice(mark + 1);
  const path = normalPath(rawPath);
  if (prefix === '' || path === prefix) return { path: path === prefix ? '/' : path, query };
  if (!path.startsWith(`${prefix}/`)) return undefined;
  return { path: path.slice(prefix.length), query };
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
