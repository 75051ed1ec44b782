import type { IngestReply } from '../../pipeline/index.ts';

/** The part of a request that shapes every answer to it. */
export interface ReplyHead {
  readonly headers: Readonly<Record<string, string>>;
}

const compatibleJson =
  /application\/vnd\.(elasticsearch|opensearch)\+json *; *compatible-with *= *"?(\d{1,2})\b/i;

const maxOpaqueIdLength = 256;

/**
 * Headers of an answer. Clients refuse a product that does not call itself Elasticsearch, and decode a body only
 * when its type is the one they asked for.
 */
export function replyHeaders({ headers }: ReplyHead): Record<string, string> {
  const vendor = compatibleJson.exec(headers['accept'] ?? '');
  const opaqueId = headers['x-opaque-id'];
  return {
    'x-elastic-product': 'Elasticsearch',
    'content-type':
      vendor === null
        ? 'application/json'
        : `application/vnd.${(vendor[1] ?? '').toLowerCase()}+json;compatible-with=${vendor[2]}`,
    ...(opaqueId !== undefined &&
      opaqueId.length <= maxOpaqueIdLength && { 'x-opaque-id': opaqueId }),
  };
}

export function jsonReply(status: number, body: unknown, head: ReplyHead): IngestReply {
  return { status, headers: replyHeaders(head), body: JSON.stringify(body) };
}
