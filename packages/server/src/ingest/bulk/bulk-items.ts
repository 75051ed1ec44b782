import { appendJsonString, ByteBuffer } from '../../codec/index.ts';
import type { BulkAction } from './action-line.ts';

export const itemCreated = 0;
export const itemUpdated = 1;
export const itemFailed = 2;
type ItemState = typeof itemCreated | typeof itemUpdated | typeof itemFailed;

export interface ItemError {
  readonly status: number;
  /** Exception name of Elasticsearch. */
  readonly type: string;
  readonly reason: string;
}

const fields = 4;
const noId = -1;

/**
 * What the answer must say about each action of a request, in order, without an object per item: the request
 * body need not be kept until the answer is written.
 */
export class BulkItems {
  #count = 0;
  /** Per item: action and state, index, start of its id or `noId`, end of its id. */
  #records = new Int32Array(256 * fields);
  readonly #ids = new ByteBuffer(4096);
  readonly #errors = new Map<number, ItemError>();
  #errorOfAll: ItemError | undefined;
  #failed = 0;

  get count(): number {
    return this.#count;
  }

  get hasErrors(): boolean {
    return this.#failed > 0 || this.#errorOfAll !== undefined;
  }

  /** Ids as JSON strings, quotes included. */
  get idBytes(): Uint8Array {
    return this.#ids.bytes;
  }

  /** Opens the item of an action; `indexNumber` stands for its index name. The item counts as created. */
  add(action: BulkAction, indexNumber: number): void {
    const at = this.#count++ * fields;
    if (at + fields > this.#records.length) {
      const next = new Int32Array(this.#records.length * 2);
      next.set(this.#records);
      this.#records = next;
    }
    this.#records[at] = action;
    this.#records[at + 1] = indexNumber;
    this.#records[at + 2] = noId;
  }

  /** Id of the item opened last; without it the answer makes one up. */
  setId(bytes: Uint8Array, start: number, end: number): void {
    const ids = this.#ids;
    const at = (this.#count - 1) * fields;
    this.#records[at + 2] = ids.size;
    appendJsonString(ids, bytes, start, end);
    this.#records[at + 3] = ids.size;
  }

  setUpdated(): void {
    this.#records[(this.#count - 1) * fields]! |= itemUpdated << 4;
  }

  fail(error: ItemError): void {
    this.#records[(this.#count - 1) * fields]! |= itemFailed << 4;
    this.#errors.set(this.#count - 1, error);
    this.#failed++;
  }

  failAll(error: ItemError): void {
    this.#errorOfAll = error;
  }

  action(item: number): BulkAction {
    return (this.#records[item * fields]! & 15) as BulkAction;
  }

  state(item: number): ItemState {
    if (this.#errorOfAll !== undefined) return itemFailed;
    return (this.#records[item * fields]! >> 4) as ItemState;
  }

  indexNumber(item: number): number {
    return this.#records[item * fields + 1]!;
  }

  /** -1: the item has none. */
  idStart(item: number): number {
    return this.#records[item * fields + 2]!;
  }

  idEnd(item: number): number {
    return this.#records[item * fields + 3]!;
  }

  error(item: number): ItemError | undefined {
    return this.#errorOfAll ?? this.#errors.get(item);
  }
}
