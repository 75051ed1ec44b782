/** The program the rounds kill: log, dedup window and group commit, with a sealer that writes ids instead of Parquet. */
import { join } from 'node:path';
import { RecordBatchReader } from 'apache-arrow';
import type { FileSystem } from '../../src/base/file-system.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { nodeFileSystem } from '../../src/base/node-file-system.ts';
import { encodeSchemaMessage, RawEventBuilder, rawEventsSchema } from '../../src/columns/index.ts';
import {
  fingerprintsOf,
  openDedupWindow,
  saveFingerprints,
  tidyFingerprints,
} from '../../src/pipeline/dedup/index.ts';
import { GroupCommit } from '../../src/pipeline/group-commit.ts';
import { RawEventGroup } from '../../src/pipeline/raw-event-group.ts';
import { readSegment, WalWriter } from '../../src/wal/index.ts';

const windowEvents = 200_000;
const schemaMessage = encodeSchemaMessage(rawEventsSchema);
const encoder = new TextEncoder();
const idPrefix = encoder.encode('test:');

export class IngestLoop {
  readonly #directory: string;
  readonly #fileSystem: FileSystem;
  readonly #wal: WalWriter;
  readonly #commit: GroupCommit<RawEventGroup>;
  readonly #seed: Uint32Array;

  private constructor(
    directory: string,
    parts: {
      fileSystem: FileSystem;
      wal: WalWriter;
      commit: GroupCommit<RawEventGroup>;
      seed: Uint32Array;
    },
  ) {
    this.#directory = directory;
    this.#fileSystem = parts.fileSystem;
    this.#wal = parts.wal;
    this.#commit = parts.commit;
    this.#seed = parts.seed;
  }

  static async open(directory: string): Promise<IngestLoop> {
    const fileSystem = nodeFileSystem;
    await fileSystem.mkdir(join(directory, 'sealed'));
    const wal = await WalWriter.open({
      directory: join(directory, 'wal'),
      fileSystem,
      logger: silentLogger,
      schemaHash: new Uint8Array(16),
      segmentMaxBytes: 256 * 1024,
    });
    const window = await openDedupWindow({
      fileSystem,
      directory: join(directory, 'dedup'),
      logger: silentLogger,
      windowEvents,
      unsealed: wal.unsealedSegments(),
      fingerprintsOf: ({ path }, seed) => fingerprintsOf({ fileSystem, path, schemaMessage, seed }),
    });
    const newGroup = (): RawEventGroup =>
      new RawEventGroup(
        new RawEventBuilder({
          limits: { maxEventBytes: 1 << 20, maxAttributes: 100, maxBatchBytes: 1 << 26 },
          timestamps: { maxAgeNs: undefined, maxFutureNs: 10n ** 18n, action: 'clamp' },
          dedup: window,
        }),
      );
    const commit = new GroupCommit({
      batches: [newGroup(), newGroup()],
      log: wal,
      dedup: window,
      logger: silentLogger,
      groupMaxBytes: 1 << 20,
    });
    return new IngestLoop(directory, { fileSystem, wal, commit, seed: window.seed });
  }

  send(ids: readonly string[]): Promise<void> {
    return this.#commit.admit(({ builder }) => {
      const tenant = encoder.encode('acme');
      builder.beginRequest({ nowNs: 1n, tenant, source: encoder.encode('crash') });
      for (const id of ids) {
        const body = encoder.encode(`body of ${id} `.repeat(20));
        const key = encoder.encode(id);
        builder.begin();
        builder.setBody(body, 0, body.length);
        builder.setIdempotencyKey(idPrefix, key, 0, key.length);
        builder.end();
      }
    });
  }

  async seal(): Promise<void> {
    const fileSystem = this.#fileSystem;
    const store = { fileSystem, directory: join(this.#directory, 'dedup') };
    await this.#wal.rotate();
    for (const { segmentId, path } of this.#wal.unsealedSegments()) {
      await this.#writeSealed(segmentId, await this.#idsOf(path));
      const seed = this.#seed;
      const fingerprints = await fingerprintsOf({ fileSystem, path, schemaMessage, seed });
      await saveFingerprints(store, segmentId, { seed, fingerprints });
      await this.#wal.remove(segmentId);
    }
    await tidyFingerprints(store, windowEvents);
  }

  async readStored(): Promise<string[]> {
    await this.seal();
    const directory = join(this.#directory, 'sealed');
    const ids: string[] = [];
    for (const name of await this.#fileSystem.readdir(directory)) {
      if (!name.endsWith('.ids')) continue;
      const file = await this.#fileSystem.open(join(directory, name), 'read');
      const bytes = new Uint8Array(await file.size());
      await file.read(bytes, 0);
      await file.close();
      ids.push(...Buffer.from(bytes).toString().split('\n'));
    }
    return ids.map((id) => id.replace(/^test:/, ''));
  }

  close(): Promise<void> {
    return this.#wal.close();
  }

  async #writeSealed(segmentId: string, ids: readonly string[]): Promise<void> {
    const directory = join(this.#directory, 'sealed');
    const temporary = join(directory, `${segmentId}.tmp`);
    const file = await this.#fileSystem.open(temporary, 'replace');
    await file.write([encoder.encode(ids.join('\n'))], 0);
    await file.syncData();
    await file.close();
    await this.#fileSystem.rename(temporary, join(directory, `${segmentId}.ids`));
    await this.#fileSystem.syncDirectory(directory);
  }

  async #idsOf(path: string): Promise<string[]> {
    const ids: string[] = [];
    for await (const { payload } of readSegment({ fileSystem: this.#fileSystem, path })) {
      for (const batch of RecordBatchReader.from([schemaMessage, payload])) {
        for (const id of batch.getChild('idempotency_key') ?? []) ids.push(String(id));
      }
    }
    return ids;
  }
}
