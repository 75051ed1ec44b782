import { isUtf8 } from 'node:buffer';
import type { ErrorCode } from '@varve/contract';
import { NodeError } from '../../base/errors.ts';
import { type JsonCursor, malformedBody } from '../../codec/index.ts';
import {
  eventDuplicate,
  eventOutOfTime,
  eventStored,
  type RawEventBuilder,
} from '../../columns/index.ts';
import type { DocumentReader } from '../event-field/index.ts';
import {
  type ActionLine,
  type BulkAction,
  createAction,
  deleteAction,
  updateAction,
} from './action-line.ts';
import { BulkItems, type ItemError } from './bulk-items.ts';
import { IndexNames } from './index-names.ts';

/** Bounds the answer, which is longer than the shortest actions. */
const maxActions = 500_000;
const maxIndexBytes = 255;
/** As in Elasticsearch. */
const maxIdBytes = 512;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

const unsupportedAction: ItemError = {
  status: 400,
  type: 'illegal_argument_exception',
  reason: 'stored events are never changed; use create or index',
};
const invalidIndex: ItemError = {
  status: 400,
  type: 'invalid_index_name_exception',
  reason: `an index name must have at most ${maxIndexBytes} bytes`,
};
const invalidId: ItemError = {
  status: 400,
  type: 'illegal_argument_exception',
  reason: `an id must have at most ${maxIdBytes} bytes`,
};
const emptyDocument: ItemError = {
  status: 400,
  type: 'mapper_parsing_exception',
  reason: 'failed to parse, the document is empty',
};
const outOfTime: ItemError = {
  status: 400,
  type: 'illegal_argument_exception',
  reason: 'the time of the event is outside the allowed range; correct the clock of the sender',
};
const conflict: ItemError = {
  status: 409,
  type: 'version_conflict_engine_exception',
  reason: 'version conflict, document already exists (current version [1])',
};

interface Text {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

export interface BatchReaderOptions {
  readonly body: Uint8Array;
  readonly builder: RawEventBuilder;
  readonly cursor: JsonCursor;
  readonly line: ActionLine;
  readonly documents: DocumentReader;
  /** Index of actions that name none. */
  readonly defaultIndex: Uint8Array;
}

/** Takes the events of one request, and keeps what its answer has to say about each. */
export class BatchReader {
  readonly #options: BatchReaderOptions;
  readonly #body: Buffer;
  readonly #isValidUtf8: boolean;
  readonly items = new BulkItems();
  readonly indexes = new IndexNames();
  readonly rejected: Partial<Record<ErrorCode, number>> = {};
  deduplicated = 0;
  /** Set by an event over a cap: nothing of the batch is stored, and the rest is only counted. */
  refusal: NodeError | undefined;
  #next = 0;
  #lineStart = 0;
  #lineEnd = 0;

  constructor(options: BatchReaderOptions) {
    const { body, cursor } = options;
    this.#options = options;
    this.#body = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    // Only when this fails are lines checked one by one, so that a broken one costs no other.
    this.#isValidUtf8 = isUtf8(body);
    cursor.openUnchecked(body);
    this.#next = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  }

  /**
   * Reads pairs of action and source lines.
   * @throws NodeError `ingest_malformed_body` when lines cannot be paired, `request_body_too_large`
   */
  readLines(): void {
    const { line, cursor } = this.#options;
    while (this.#nextLine()) {
      if (this.#isBlank()) continue;
      if (this.items.count === maxActions) throw tooManyActions();
      this.#requireUtf8();
      cursor.seek(this.#lineStart, this.#lineEnd);
      line.read(cursor);
      if (!this.#openItem(line)) {
        if (line.action !== deleteAction) this.#nextSource();
      } else if (line.action === deleteAction) {
        this.#fail(unsupportedAction, 'ingest_unsupported_action');
      } else {
        this.#nextSource();
        if (line.action === updateAction) {
          this.#fail(unsupportedAction, 'ingest_unsupported_action');
        } else if (this.refusal === undefined) {
          this.#readDocument(line.action, line.id);
        }
      }
    }
    if (this.items.count === 0) throw malformedBody('the request holds no actions', 0);
  }

  /** Reads the whole body as one document. */
  readOne(action: BulkAction, id: Text): void {
    const { defaultIndex } = this.#options;
    const index = { bytes: defaultIndex, start: 0, end: defaultIndex.length };
    this.#lineStart = this.#next;
    this.#lineEnd = this.#body.length;
    if (this.#openItem({ action, index, id })) this.#readDocument(action, id);
  }

  /** False when index or id make the item fail, whatever its document holds. */
  #openItem({ action, index, id }: { action: BulkAction; index: Text; id: Text }): boolean {
    const { defaultIndex } = this.#options;
    const isNamed = index.start < index.end;
    const isIndexTooLong = index.end - index.start > maxIndexBytes;
    const isIdTooLong = id.end - id.start > maxIdBytes;
    const number =
      isNamed && !isIndexTooLong
        ? this.indexes.find(index.bytes, index.start, index.end)
        : this.indexes.find(defaultIndex, 0, defaultIndex.length);
    this.items.add(action, number);
    if (id.start < id.end && !isIdTooLong) this.items.setId(id.bytes, id.start, id.end);
    if (isIndexTooLong) this.#fail(invalidIndex, 'ingest_malformed_body');
    else if (isIdTooLong) this.#fail(invalidId, 'ingest_malformed_body');
    return !isIndexTooLong && !isIdTooLong;
  }

  #readDocument(action: BulkAction, id: Text): void {
    if (this.#isBlank()) {
      this.#fail(emptyDocument, 'ingest_malformed_body');
      return;
    }
    const { builder, cursor, documents } = this.#options;
    const row = builder.rows;
    const number = this.items.indexNumber(this.items.count - 1);
    const index = this.indexes.bytes(number);
    try {
      this.#requireUtf8();
      cursor.seek(this.#lineStart, this.#lineEnd);
      builder.begin();
      builder.setSource(index, 0, index.length);
      if (id.start < id.end) {
        builder.setIdempotencyKey(this.indexes.idPrefix(number), id.bytes, id.start, id.end);
      }
      documents.read();
      this.#noteOutcome(builder.end(), action);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      builder.batch.truncate(row);
      if (error.code === 'ingest_malformed_body') {
        const { message: reason } = error;
        this.#fail({ status: 400, type: 'mapper_parsing_exception', reason }, error.code);
      } else {
        this.refusal = error;
      }
    }
  }

  #noteOutcome(outcome: ReturnType<RawEventBuilder['end']>, action: BulkAction): void {
    switch (outcome) {
      case eventStored:
        return;
      case eventDuplicate:
        this.deduplicated++;
        if (action === createAction) this.items.fail(conflict);
        else this.items.setUpdated();
        return;
      case eventOutOfTime:
        this.#fail(outOfTime, 'ingest_timestamp_out_of_range');
    }
  }

  #fail(error: ItemError, code: ErrorCode): void {
    this.items.fail(error);
    this.rejected[code] = (this.rejected[code] ?? 0) + 1;
  }

  #nextSource(): void {
    const actionStart = this.#lineStart;
    if (!this.#nextLine()) throw malformedBody('the last action has no source line', actionStart);
  }

  /** A last line without a line feed counts; nothing behind the last line feed does not. */
  #nextLine(): boolean {
    const body = this.#body;
    const start = this.#next;
    if (start >= body.length) return false;
    const feed = body.indexOf(lineFeed, start);
    const end = feed === -1 ? body.length : feed;
    this.#next = end + 1;
    this.#lineStart = start;
    this.#lineEnd = end > start && body[end - 1] === carriageReturn ? end - 1 : end;
    return true;
  }

  #isBlank(): boolean {
    for (let at = this.#lineStart; at < this.#lineEnd; at++) {
      if (this.#body[at]! > 0x20) return false;
    }
    return true;
  }

  #requireUtf8(): void {
    if (this.#isValidUtf8) return;
    if (isUtf8(this.#body.subarray(this.#lineStart, this.#lineEnd))) return;
    throw malformedBody('the line is not valid UTF-8', this.#lineStart);
  }
}

function tooManyActions(): NodeError {
  return new NodeError(
    'request_body_too_large',
    `a request may hold ${maxActions} actions; send smaller batches`,
    { details: { limit_actions: maxActions } },
  );
}
