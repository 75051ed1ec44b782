import { NodeError } from '../../base/errors.ts';
import type { AttributeSink } from '../../codec/index.ts';
import type { EventLimits, SharedAttributes } from '../../columns/index.ts';

/**
 * Collects the attributes of a resource or scope. More of them than an event may have are refused here already:
 * names of nested values are longer here than in the body, so the collection could outgrow it manyfold.
 */
export class SharedAttributeSink implements AttributeSink {
  readonly attributes: SharedAttributes;
  readonly #limits: EventLimits;

  constructor(attributes: SharedAttributes, limits: EventLimits) {
    this.attributes = attributes;
    this.#limits = limits;
  }

  clear(): void {
    this.attributes.clear();
  }

  attribute(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    this.#requireRoom();
    this.attributes.add(key, keyStart, keyEnd, value, valueStart, valueEnd);
  }

  attributeNull(key: Uint8Array, keyStart: number, keyEnd: number): void {
    this.#requireRoom();
    this.attributes.addNull(key, keyStart, keyEnd);
  }

  #requireRoom(): void {
    const limit = this.#limits.maxAttributes;
    if (this.attributes.count < limit) return;
    throw new NodeError(
      'ingest_too_many_attributes',
      `a resource or scope has more than ${limit} attributes; nothing of the batch was stored`,
      { details: { limit } },
    );
  }
}
