import {
  ByteBuffer,
  FieldNames,
  type JsonCursor,
  jsonArray,
  jsonNull,
  jsonObject,
  malformedBody,
} from '../../codec/index.ts';

export const indexAction = 0;
export const createAction = 1;
export const updateAction = 2;
export const deleteAction = 3;
export type BulkAction =
  | typeof indexAction
  | typeof createAction
  | typeof updateAction
  | typeof deleteAction;

export const actionNames = ['index', 'create', 'update', 'delete'] as const;

const actions = new FieldNames({ index: 1, create: 2, update: 3, delete: 4 });
const idField = 1;
const indexField = 2;
const parameters = new FieldNames({ _id: idField, _index: indexField });

/** A span that outlives the cursor's next read: of the body, or a copy of text that had escapes. */
class KeptText {
  readonly #copy = new ByteBuffer(256);
  bytes: Uint8Array = this.#copy.bytes;
  start = 0;
  end = 0;

  clear(): void {
    this.end = this.start;
  }

  keep(cursor: JsonCursor): void {
    if (cursor.isTextInput) {
      this.bytes = cursor.text;
      this.start = cursor.textStart;
      this.end = cursor.textEnd;
      return;
    }
    this.#copy.clear();
    this.#copy.append(cursor.text, cursor.textStart, cursor.textEnd);
    this.bytes = this.#copy.bytes;
    this.start = 0;
    this.end = this.#copy.size;
  }
}

/**
 * The action and metadata line of an item: `{"create":{"_index":"logs","_id":"1"}}`. Parameters that an event
 * store has no use for, `_type` among them, are read past.
 */
export class ActionLine {
  action: BulkAction = indexAction;
  /** Empty when the line names none. */
  readonly index = new KeptText();
  readonly id = new KeptText();

  /**
   * Reads the line that the cursor was sent to.
   * @throws NodeError `ingest_malformed_body`: nothing says then whether a source line follows
   */
  read(cursor: JsonCursor): void {
    this.index.clear();
    this.id.clear();
    const start = cursor.position;
    cursor.enterObject();
    if (!cursor.nextKey()) throw malformedBody('the action line names no action', start);
    const action = actions.find(cursor.text, cursor.textStart, cursor.textEnd);
    if (action === 0) {
      throw malformedBody('an action must be index, create, update or delete', start);
    }
    this.action = (action - 1) as BulkAction;
    cursor.enterObject();
    while (cursor.nextKey()) this.#readParameter(cursor);
    if (cursor.nextKey()) throw malformedBody('the action line names more than one action', start);
    cursor.expectEnd();
  }

  #readParameter(cursor: JsonCursor): void {
    const field = parameters.find(cursor.text, cursor.textStart, cursor.textEnd);
    const kind = cursor.peek();
    if (field === 0 || kind === jsonObject || kind === jsonArray) {
      cursor.skip();
      return;
    }
    cursor.readScalar();
    if (kind === jsonNull) return;
    (field === idField ? this.id : this.index).keep(cursor);
  }
}
