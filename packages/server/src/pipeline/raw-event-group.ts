import { encodeRecordBatch, type RawEventBuilder } from '../columns/index.ts';
import type { GroupBatch } from './group-commit.ts';

/** Events of `raw_events` as group commit takes them: one Arrow record batch message per record. */
export class RawEventGroup implements GroupBatch {
  readonly builder: RawEventBuilder;

  constructor(builder: RawEventBuilder) {
    this.builder = builder;
  }

  get rows(): number {
    return this.builder.rows;
  }

  get sizeBytes(): number {
    return this.builder.batch.sizeBytes;
  }

  truncate(rows: number): void {
    this.builder.batch.truncate(rows);
  }

  takeBatch(): { readonly pieces: readonly Uint8Array[]; readonly rows: number } {
    return { pieces: encodeRecordBatch(this.builder.batch), rows: this.rows };
  }
}
