import { RecordBatchReader, type Data, type RecordBatch } from 'apache-arrow';
import { assert } from '../../base/assert.ts';
import type { FileSystem } from '../../base/file-system.ts';
import { fingerprintWords } from '../../codec/index.ts';
import { readSegment, type WalRecord } from '../../wal/index.ts';
import { TenantFingerprinters, type Span } from './tenant-fingerprinters.ts';

export interface FingerprintsOfOptions {
  readonly fileSystem: FileSystem;
  readonly path: string;
  /** The schema message that belongs before the segment's record batches. */
  readonly schemaMessage: Uint8Array;
  readonly seed: Uint32Array;
}

/**
 * Fingerprints of all events of a closed segment that carry a stable id, oldest first, as a flat list. They equal those
 * the window made when the events came in. One record of the segment is in memory at a time.
 */
export async function fingerprintsOf(options: FingerprintsOfOptions): Promise<Uint32Array> {
  const { fileSystem, path, schemaMessage } = options;
  const collector = new FingerprintCollector(options.seed);
  for await (const { payload } of readSegment({ fileSystem, path })) {
    collector.addMessage(schemaMessage, payload);
  }
  return collector.fingerprints;
}

/** As `fingerprintsOf`, of records that have been read already. */
export function fingerprintsOfRecords(
  records: readonly WalRecord[],
  options: Pick<FingerprintsOfOptions, 'schemaMessage' | 'seed'>,
): Uint32Array {
  const collector = new FingerprintCollector(options.seed);
  for (const { payload } of records) collector.addMessage(options.schemaMessage, payload);
  return collector.fingerprints;
}

class FingerprintCollector {
  readonly #tenants: TenantFingerprinters;
  #words = new Uint32Array(1024);
  #length = 0;

  constructor(seed: Uint32Array) {
    this.#tenants = new TenantFingerprinters(seed);
  }

  get fingerprints(): Uint32Array {
    return this.#words.slice(0, this.#length);
  }

  addMessage(schemaMessage: Uint8Array, payload: Uint8Array): void {
    for (const batch of RecordBatchReader.from([schemaMessage, payload])) this.#add(batch);
  }

  #add(batch: RecordBatch): void {
    if (batch.getChild('idempotency_key')?.nullCount === batch.numRows) return;
    const ids = new TextColumn(batch, 'idempotency_key');
    const tenants = new TextColumn(batch, 'tenant');
    for (let row = 0; row < batch.numRows; row += 1) {
      const id = ids.span(row);
      if (id === undefined) continue;
      const tenant = tenants.span(row) ?? { start: 0, end: 0 };
      const fingerprinter = this.#tenants.fingerprinterOf(tenants.bytes, tenant);
      fingerprinter.hash(ids.bytes, id.start, id.end);
      this.#push(fingerprinter.words);
    }
  }

  #push(words: Uint32Array): void {
    if (this.#length + fingerprintWords > this.#words.length) {
      const larger = new Uint32Array(2 * this.#words.length);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words.set(words, this.#length);
    this.#length += fingerprintWords;
  }
}

/** The bytes of a text column, without making strings of them. */
class TextColumn {
  readonly bytes: Uint8Array;
  readonly #offsets: ArrayLike<number>;
  readonly #data: Data;

  constructor(batch: RecordBatch, name: string) {
    const data: Data | undefined = batch.getChild(name)?.data[0];
    assert(data !== undefined, `the log has no column ${name}`);
    this.#data = data;
    this.bytes = new Uint8Array(data.values.buffer, data.values.byteOffset, data.values.byteLength);
    this.#offsets = data.valueOffsets;
  }

  /** Undefined for null. */
  span(row: number): Span | undefined {
    if (this.#data.nullCount > 0 && !this.#data.getValid(row)) return undefined;
    return { start: this.#offsets[row] ?? 0, end: this.#offsets[row + 1] ?? 0 };
  }
}
