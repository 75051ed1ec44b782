import { randomBytes } from 'node:crypto';
import { assert } from '../../base/assert.ts';
import { ByteBuffer } from '../../codec/index.ts';
import { actionNames } from './action-line.ts';
import { type BulkItems, type ItemError, itemFailed, itemUpdated } from './bulk-items.ts';
import { createFieldFilter } from './filter-path.ts';

type FieldFilter = (path: readonly string[]) => boolean;

/** What an item of one action in one state is made of, with the fields that `filter_path` leaves. */
interface ItemShape {
  /** `{"create":{`, with `"_index":` when that is sent. */
  readonly open: Uint8Array;
  readonly hasIndex: boolean;
  /** `"_id":` with a comma where one is due; undefined when the id is not sent. */
  readonly beforeId: Uint8Array | undefined;
  /** Everything behind the id; undefined for failures, where it differs from item to item. */
  readonly tail: Uint8Array | undefined;
  readonly isEmpty: boolean;
}

const encoder = new TextEncoder();
const comma = 0x2c;
const closeItem = encoder.encode('}}');

const version = (result: 'created' | 'updated'): readonly (readonly [string, unknown])[] => [
  ['_version', result === 'created' ? 1 : 2],
  ['result', result],
  ['_shards', { total: 1, successful: 1, failed: 0 }],
  ['_seq_no', 0],
  ['_primary_term', 1],
  ['status', result === 'created' ? 201 : 200],
];

/** The value without the fields that are filtered out; undefined when nothing is left of it. */
function pick(value: unknown, path: readonly string[], isSent: FieldFilter): unknown {
  if (typeof value !== 'object' || value === null) return isSent(path) ? value : undefined;
  const fields = Object.entries(value)
    .map(([name, field]) => [name, pick(field, [...path, name], isSent)] as const)
    .filter(([, field]) => field !== undefined);
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** `,"a":1,"b":2` without the leading comma when `isFirst`. */
function renderFields(
  fields: readonly (readonly [string, unknown])[],
  path: readonly string[],
  options: { readonly isSent: FieldFilter; readonly isFirst: boolean },
): string {
  const text = fields
    .map(([name, value]) => [name, pick(value, [...path, name], options.isSent)] as const)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(',');
  return text === '' || options.isFirst ? text : `,${text}`;
}

function createShape(action: string, state: number, isSent: FieldFilter): ItemShape {
  const path = ['items', action];
  const hasIndex = isSent([...path, '_index']);
  const hasId = isSent([...path, '_id']);
  const isFailed = state === itemFailed;
  const tail = isFailed
    ? ''
    : renderFields(version(state === itemUpdated ? 'updated' : 'created'), path, {
        isSent,
        isFirst: !hasIndex && !hasId,
      });
  return {
    open: encoder.encode(`{"${action}":{${hasIndex ? '"_index":' : ''}`),
    hasIndex,
    beforeId: hasId ? encoder.encode(`${hasIndex ? ',' : ''}"_id":`) : undefined,
    tail: isFailed ? undefined : encoder.encode(`${tail}}}`),
    isEmpty: !hasIndex && !hasId && tail === '' && !isFailed,
  };
}

export interface BulkReplyOptions {
  /** Index names by number. */
  readonly indexes: readonly string[];
  readonly tookMs: number;
  readonly filterPath: string | null;
}

const idAlphabet = encoder.encode(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
);
const requestIdBytes = 12;

/** Ids of 20 URL-safe characters for items that brought none: 16 random ones of the request, 4 that count. */
class GeneratedIds {
  readonly #text = encoder.encode(`"${randomBytes(requestIdBytes).toString('base64url')}0000"`);

  append(out: ByteBuffer, item: number): void {
    const text = this.#text;
    for (let place = 0; place < 4; place++) {
      text[20 - place] = idAlphabet[(item >> (6 * place)) & 63]!;
    }
    out.append(text, 0, text.length);
  }
}

class ItemWriter {
  readonly #items: BulkItems;
  readonly #out: ByteBuffer;
  readonly #isSent: FieldFilter;
  readonly #indexes: readonly Uint8Array[];
  readonly #generated = new GeneratedIds();
  readonly #shapes: (ItemShape | undefined)[] = [];
  readonly #failures = new Map<string, Uint8Array>();

  constructor(
    items: BulkItems,
    out: ByteBuffer,
    { isSent, indexes }: { isSent: FieldFilter; indexes: readonly string[] },
  ) {
    this.#items = items;
    this.#out = out;
    this.#isSent = isSent;
    this.#indexes = indexes.map((name) => encoder.encode(JSON.stringify(name)));
  }

  /** False when nothing of the item is left by the filter. */
  write(item: number, isFirst: boolean): boolean {
    const items = this.#items;
    const out = this.#out;
    const shape = this.#shape(item);
    const tail = shape.tail ?? this.#failure(item, shape);
    if (
      shape.isEmpty ||
      (tail.length === closeItem.length && !shape.hasIndex && shape.beforeId === undefined)
    ) {
      return false;
    }
    if (!isFirst) out.byte(comma);
    out.append(shape.open, 0, shape.open.length);
    if (shape.hasIndex) {
      const index = this.#indexes[items.indexNumber(item)]!;
      out.append(index, 0, index.length);
    }
    if (shape.beforeId !== undefined) {
      out.append(shape.beforeId, 0, shape.beforeId.length);
      const idStart = items.idStart(item);
      if (idStart === -1) this.#generated.append(out, item);
      else out.append(items.idBytes, idStart, items.idEnd(item));
    }
    out.reserve(tail.length);
    out.bytes.set(tail, out.size);
    out.size += tail.length;
    return true;
  }

  #shape(item: number): ItemShape {
    const action = this.#items.action(item);
    const state = this.#items.state(item);
    const key = (action << 4) | state;
    return (this.#shapes[key] ??= createShape(actionNames[action], state, this.#isSent));
  }

  #failure(item: number, shape: ItemShape): Uint8Array {
    const error = this.#items.error(item);
    assert(error !== undefined, 'a failed item has an error');
    const action = actionNames[this.#items.action(item)];
    const key = `${action} ${error.status} ${error.type} ${error.reason}`;
    const known = this.#failures.get(key);
    if (known !== undefined) return known;
    const rendered = encoder.encode(`${this.#renderError(error, action, shape)}}}`);
    if (this.#failures.size < 100) this.#failures.set(key, rendered);
    return rendered;
  }

  #renderError({ status, type, reason }: ItemError, action: string, shape: ItemShape): string {
    const fields = [
      ['status', status],
      ['error', { type, reason }],
    ] as const;
    const isFirst = !shape.hasIndex && shape.beforeId === undefined;
    return renderFields(fields, ['items', action], { isSent: this.#isSent, isFirst });
  }
}

/** The body of a bulk answer: compact, and with its keys in the order that clients search for. */
export function renderBulkReply(items: BulkItems, options: BulkReplyOptions): Uint8Array {
  const isSent = createFieldFilter(options.filterPath);
  const out = new ByteBuffer(256 + items.count * (options.filterPath === null ? 200 : 64));
  const head = [
    ['took', options.tookMs],
    ['errors', items.hasErrors],
  ] as const;
  const headText = renderFields(head, [], { isSent, isFirst: true });
  out.ascii(`{${headText}`);
  const headEnd = out.size;
  out.ascii(`${headText === '' ? '' : ','}"items":[`);
  const writer = new ItemWriter(items, out, { isSent, indexes: options.indexes });
  let written = 0;
  for (let item = 0; item < items.count; item++) {
    if (writer.write(item, written === 0)) written++;
  }
  if (written === 0 && items.count > 0) {
    out.size = headEnd;
  } else {
    out.ascii(']');
  }
  out.ascii('}');
  return out.bytes.slice(0, out.size);
}
