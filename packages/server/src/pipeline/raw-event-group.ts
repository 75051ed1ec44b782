import { encodeRecordBatch, type RawEventBuilder } from '../columns/index.ts';
import type { GroupBatch } from './group-commit.ts';

/** Fixed-width values, offsets and validity of one row over all columns, roughly. */
const rowOverheadBytes = 64;

/** Events of `raw_events` as group commit takes them: one Arrow record batch message per record. */
export class RawEventGroup implements GroupBatch {
  readonly builder: RawEventBuilder;
  readonly #texts: readonly { readonly sizeBytes: number }[];

  constructor(builder: RawEventBuilder) {
    this.builder = builder;
    const { batch } = builder;
    this.#texts = batch.schema.columns.flatMap((column) => {
      if (column.type === 'utf8') return [batch.utf8(column.name)];
      if (column.type === 'int64') return [];
      const { keys, values } = batch.map(column.name);
      return [keys, values];
    });
  }

  get rows(): number {
    return this.builder.rows;
  }

  get sizeBytes(): number {
    let bytes = this.rows * rowOverheadBytes;
    for (const text of this.#texts) bytes += text.sizeBytes;
    return bytes;
  }

  truncate(rows: number): void {
    this.builder.batch.truncate(rows);
  }

  takeBatch(): { readonly pieces: readonly Uint8Array[]; readonly rows: number } {
    return { pieces: encodeRecordBatch(this.builder.batch), rows: this.rows };
  }
}
