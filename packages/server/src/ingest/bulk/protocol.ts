import { gzipSync } from 'node:zlib';
import { type Clock, systemClock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import { JsonCursor } from '../../codec/index.ts';
import type { RawEventBuilder } from '../../columns/index.ts';
import type { DecodedRequest, IngestReply, IngestRequest, Protocol } from '../../pipeline/index.ts';
import { DocumentReader } from '../event-field/index.ts';
import { ActionLine, createAction, indexAction } from './action-line.ts';
import { BatchReader } from './batch-reader.ts';
import { type BulkPath, parseBulkPath } from './bulk-path.ts';
import { renderBulkReply } from './bulk-reply.ts';
import { renderDocumentReply } from './document-reply.ts';
import { errorReply, exceptionType } from './error-reply.ts';
import { jsonReply, replyHeaders } from './reply-head.ts';

export interface BulkProtocolOptions {
  /**
   * How a batch with an event over a cap is answered: 400 for the request, or 200 with an error for every item,
   * for senders that repeat a 400 for ever. Nothing is stored either way.
   */
  readonly rejection: 'request' | 'items';
  readonly clock?: Clock;
}

/** Smaller answers are not worth the time. */
const gzipMinBytes = 16 * 1024;
const gzipLevel = 1;

const encoder = new TextEncoder();

/**
 * The bulk interface of Elasticsearch and OpenSearch as far as it adds events: `index` and `create`, in batches
 * or alone. An `_id` makes an event idempotent within its index; events are never changed or deleted.
 */
export function createBulkProtocol(options: BulkProtocolOptions): Protocol {
  return new BulkProtocol(options);
}

class BulkProtocol implements Protocol {
  readonly name = bulkProtocolName;
  readonly #rejection: 'request' | 'items';
  readonly #clock: Clock;
  readonly #cursor = new JsonCursor();
  readonly #line = new ActionLine();
  readonly #documents = new WeakMap<RawEventBuilder, DocumentReader>();

  constructor(options: BulkProtocolOptions) {
    this.#rejection = options.rejection;
    this.#clock = options.clock ?? systemClock;
  }

  decode(request: IngestRequest, body: Uint8Array, builder: RawEventBuilder): DecodedRequest {
    const startMs = this.#clock.monotonicMs();
    const target = parseBulkPath(request.path, request.query);
    if (target === undefined) {
      throw new NodeError('request_not_found', 'send events to _bulk, _doc or _create');
    }
    const rows = builder.rows;
    const reader = new BatchReader({
      body,
      builder,
      cursor: this.#cursor,
      line: this.#line,
      documents: this.#documentsOf(builder),
      defaultIndex: encoder.encode(target.index ?? request.listener),
    });
    if (target.kind === 'bulk') {
      reader.readLines();
    } else {
      const id = encoder.encode(target.id ?? '');
      const action = target.action === 'create' ? createAction : indexAction;
      reader.readOne(action, { bytes: id, start: 0, end: id.length });
    }
    const reply = (): IngestReply => this.#reply(request, { target, reader, startMs });
    const received = reader.items.count;
    if (reader.refusal !== undefined) {
      const rejected = { [reader.refusal.code]: received };
      return { received, stored: 0, deduplicated: 0, rejected, isRolledBack: true, reply };
    }
    const { deduplicated, rejected } = reader;
    return { received, stored: builder.rows - rows, deduplicated, rejected, reply };
  }

  replyToError(error: NodeError, request: Omit<IngestRequest, 'body'>): IngestReply {
    return errorReply(error, request);
  }

  #documentsOf(builder: RawEventBuilder): DocumentReader {
    let documents = this.#documents.get(builder);
    if (documents === undefined) {
      documents = new DocumentReader(this.#cursor, builder);
      this.#documents.set(builder, documents);
    }
    return documents;
  }

  #reply(
    request: IngestRequest,
    { target, reader, startMs }: { target: BulkPath; reader: BatchReader; startMs: number },
  ): IngestReply {
    const { items, indexes, refusal } = reader;
    if (refusal !== undefined) {
      if (this.#rejection === 'request' || target.kind === 'document') {
        return errorReply(refusal, request);
      }
      items.failAll({ status: 400, type: exceptionType(refusal.code), reason: refusal.message });
    }
    if (target.kind === 'document') {
      const { status, body } = renderDocumentReply(items, target.index);
      return jsonReply(status, body, request);
    }
    const body = renderBulkReply(items, {
      indexes: indexes.texts,
      tookMs: Math.floor(this.#clock.monotonicMs() - startMs),
      filterPath: new URLSearchParams(request.query).get('filter_path'),
    });
    return encodeReply({ status: 200, headers: replyHeaders(request), body }, request);
  }
}

export const bulkProtocolName = 'bulk';

function encodeReply(
  reply: {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: Uint8Array;
  },
  request: IngestRequest,
): IngestReply {
  const accepted = request.headers['accept-encoding'] ?? '';
  if (
    reply.body.length < gzipMinBytes ||
    !/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted)
  ) {
    return reply;
  }
  return {
    ...reply,
    headers: { ...reply.headers, 'content-encoding': 'gzip' },
    body: gzipSync(reply.body, { level: gzipLevel }),
  };
}
