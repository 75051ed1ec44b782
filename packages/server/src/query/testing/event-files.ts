import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeRecordBatch, RawEventBuilder, rawEventsSchema } from '../../columns/index.ts';
import { encodeParquet, mergeSql } from '../../parquet/index.ts';
import { testFile, type ParquetFixture, type TestFile } from './parquet-fixture.ts';

export interface TestEvent {
  readonly timeNs: bigint;
  readonly body?: string;
  readonly service?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

const encoder = new TextEncoder();
const batchRows = 5000;

/** Files as a node writes them: sealed from record batches, and merged from other files. */
export class EventFiles {
  readonly #parquet: ParquetFixture;
  #count = 0;

  constructor(parquet: ParquetFixture) {
    this.#parquet = parquet;
  }

  async seal(rows: number, event: (row: number) => TestEvent): Promise<TestFile> {
    const batches: Uint8Array[] = [];
    for (let first = 0; first < rows; first += batchRows) {
      batches.push(recordBatch(first, Math.min(rows, first + batchRows), event));
    }
    const path = this.#path('sealed');
    await writeFile(path, encodeParquet(rawEventsSchema, batches));
    return testFile(path);
  }

  async merge(files: readonly TestFile[]): Promise<TestFile> {
    const target = this.#path('merged');
    const sources = files.map(({ path }) => path);
    await this.#parquet.connection.run(mergeSql(rawEventsSchema, { sources, target }));
    return testFile(target);
  }

  #path(kind: string): string {
    this.#count += 1;
    return join(this.#parquet.directory, `${kind}-${String(this.#count)}.parquet`);
  }
}

function recordBatch(first: number, end: number, event: (row: number) => TestEvent): Uint8Array {
  const builder = new RawEventBuilder({
    limits: { maxEventBytes: 64 << 20, maxAttributes: 1000, maxBatchBytes: 1 << 30 },
    timestamps: { maxFutureNs: (1n << 63n) - 1n, maxAgeNs: undefined, action: 'clamp' },
  });
  builder.beginRequest({
    nowNs: 0n,
    tenant: encoder.encode('default'),
    source: encoder.encode('test'),
  });
  for (let row = first; row < end; row += 1) {
    const { timeNs, body, service, attributes } = event(row);
    builder.begin();
    builder.setTimeNs(timeNs);
    if (body !== undefined) {
      const bytes = encoder.encode(body);
      builder.setBody(bytes, 0, bytes.length);
    }
    if (service !== undefined) {
      const bytes = encoder.encode(service);
      builder.setService(bytes, 0, bytes.length);
    }
    for (const [key, value] of Object.entries(attributes ?? {})) {
      builder.attributeText(encoder.encode(key), encoder.encode(value));
    }
    builder.end();
  }
  return Buffer.concat(encodeRecordBatch(builder.batch));
}
