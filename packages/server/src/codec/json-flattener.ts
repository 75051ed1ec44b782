import type { AttributeSink } from './attribute-sink.ts';
import type { JsonCursor } from './json-cursor.ts';
import { jsonArray, jsonNull, jsonObject } from './json-kind.ts';
import { KeyPath } from './key-path.ts';

const emptyObject = new TextEncoder().encode('{}');

/**
 * Turns JSON objects into attributes: nested keys joined by `.`, strings unescaped, other scalars as they were
 * written, arrays as compact JSON, an empty nested object as `{}`, null as null. Order and duplicates are kept.
 */
export class JsonFlattener {
  readonly #cursor: JsonCursor;
  readonly #path = new KeyPath();

  constructor(cursor: JsonCursor) {
    this.#cursor = cursor;
  }

  /** Reads the object at the cursor. */
  object(sink: AttributeSink): void {
    const cursor = this.#cursor;
    cursor.enterObject();
    while (cursor.nextKey()) this.value(sink);
  }

  /** Reads the value at the cursor as the attribute whose name the cursor's text holds. */
  value(sink: AttributeSink): void {
    const { text, textStart, textEnd } = this.#cursor;
    const path = this.#path;
    if (this.#cursor.isTextInput) {
      path.borrow(text, textStart, textEnd);
    } else {
      path.copy(text, textStart, textEnd);
    }
    this.#value(sink);
  }

  /** Reads the value at the cursor as the attribute `name`; members of an object become `name.member`. */
  named(name: Uint8Array, sink: AttributeSink): void {
    this.#path.borrow(name, 0, name.length);
    this.#value(sink);
  }

  #value(sink: AttributeSink): void {
    const cursor = this.#cursor;
    const path = this.#path;
    switch (cursor.peek()) {
      case jsonObject:
        this.#members(sink);
        return;
      case jsonArray:
        cursor.readCompact();
        break;
      case jsonNull:
        cursor.readScalar();
        sink.attributeNull(path.bytes, path.start, path.end);
        return;
      default:
        cursor.readScalar();
    }
    const { text, textStart, textEnd } = cursor;
    sink.attribute(path.bytes, path.start, path.end, text, textStart, textEnd);
  }

  #members(sink: AttributeSink): void {
    const cursor = this.#cursor;
    const path = this.#path;
    let isEmpty = true;
    cursor.enterObject();
    while (cursor.nextKey()) {
      isEmpty = false;
      const mark = path.push(cursor.text, cursor.textStart, cursor.textEnd, cursor.position);
      this.#value(sink);
      path.pop(mark);
    }
    if (isEmpty) {
      sink.attribute(path.bytes, path.start, path.end, emptyObject, 0, emptyObject.length);
    }
  }
}
