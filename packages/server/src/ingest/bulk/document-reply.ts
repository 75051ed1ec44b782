import { randomBytes } from 'node:crypto';
import { type BulkItems, itemFailed, itemUpdated } from './bulk-items.ts';

const decoder = new TextDecoder();

/** The answer to a request that is one document. */
export function renderDocumentReply(
  items: BulkItems,
  index: string,
): { readonly status: number; readonly body: unknown } {
  const error = items.error(0);
  if (items.state(0) === itemFailed && error !== undefined) {
    const { status, type, reason } = error;
    return { status, body: { error: { root_cause: [{ type, reason }], type, reason }, status } };
  }
  const isUpdated = items.state(0) === itemUpdated;
  const start = items.idStart(0);
  const id: unknown =
    start === -1
      ? randomBytes(15).toString('base64url')
      : JSON.parse(decoder.decode(items.idBytes.subarray(start, items.idEnd(0))));
  return {
    status: isUpdated ? 200 : 201,
    body: {
      _index: index,
      _id: id,
      _version: isUpdated ? 2 : 1,
      result: isUpdated ? 'updated' : 'created',
      _shards: { total: 1, successful: 1, failed: 0 },
      _seq_no: 0,
      _primary_term: 1,
    },
  };
}
