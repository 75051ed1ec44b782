export type BulkPath =
  /** `/_bulk`, `/{index}/_bulk` and the legacy `/{index}/{type}/_bulk`. */
  | { readonly kind: 'bulk'; readonly index: string | undefined }
  /** One event: `/{index}/_doc`, `/{index}/_doc/{id}`, `/{index}/_create/{id}`. */
  | {
      readonly kind: 'document';
      readonly index: string;
      readonly id: string | undefined;
      readonly action: 'index' | 'create';
    };

/** The part of the path between two slashes, decoded; undefined when its encoding is broken. */
function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Paths that carry events. `path` is normal: one leading slash, no doubled or trailing ones. */
export function parseBulkPath(path: string, query: string): BulkPath | undefined {
  const [first = '', second, third, ...more] = path.slice(1).split('/');
  if (more.length > 0) return undefined;
  if (first === '_bulk' && second === undefined) return { kind: 'bulk', index: undefined };
  const index = decodeSegment(first);
  if (index === undefined || index === '' || index.startsWith('_')) return undefined;
  if (second === '_bulk' && third === undefined) return { kind: 'bulk', index };
  if (third === '_bulk') return { kind: 'bulk', index };
  if (second !== '_doc' && second !== '_create') return undefined;
  const id = third === undefined ? undefined : decodeSegment(third);
  if (third !== undefined && id === undefined) return undefined;
  const isCreate = second === '_create' || new URLSearchParams(query).get('op_type') === 'create';
  return { kind: 'document', index, id, action: isCreate ? 'create' : 'index' };
}
