import { encodeRecordBatch, type RawEventBuilder } from '../columns/index.ts';
import type { GroupBatch } from './group-commit.ts';

/** One of the two builders that take turns in `GroupCommit`. */
export class EventBatch implements GroupBatch {
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
