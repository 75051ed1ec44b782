import { RecordBatchReader } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FaultyFileSystem,
  SimulatedDeath,
  type Fault,
} from '../../test/fixture/faulty-file-system.ts';
import { NodeError } from '../base/errors.ts';
import { silentLogger } from '../base/logger.ts';
import { encodeSchemaMessage, RawEventBuilder, rawEventsSchema } from '../columns/index.ts';
import { readSegment, WalWriter, type ClosedSegment } from '../wal/index.ts';
import {
  fingerprintsOf,
  openDedupWindow,
  saveFingerprints,
  tidyFingerprints,
  type DedupWindow,
} from './dedup/index.ts';
import { GroupCommit } from './group-commit.ts';
import { RawEventGroup } from './raw-event-group.ts';

const schemaMessage = encodeSchemaMessage(rawEventsSchema);
const dedupDirectory = '/data/dedup';
const encoder = new TextEncoder();

/** What clients and bucket know over all lives of a node. */
class World {
  /** Ids of requests that were valid, acknowledged or not. */
  readonly sent = new Set<string>();
  readonly acknowledged = new Set<string>();
  readonly published = new Map<string, readonly string[]>();
}

class Node {
  readonly fileSystem: FaultyFileSystem;
  readonly wal: WalWriter;
  readonly window: DedupWindow;
  readonly commit: GroupCommit<RawEventGroup>;

  private constructor(fileSystem: FaultyFileSystem, wal: WalWriter, window: DedupWindow) {
    this.fileSystem = fileSystem;
    this.wal = wal;
    this.window = window;
    const newGroup = (): RawEventGroup =>
      new RawEventGroup(
        new RawEventBuilder({
          limits: { maxEventBytes: 1000, maxAttributes: 4, maxBatchBytes: 100_000 },
          timestamps: { maxAgeNs: undefined, maxFutureNs: 10n ** 18n, action: 'clamp' },
          dedup: window,
        }),
      );
    this.commit = new GroupCommit({
      batches: [newGroup(), newGroup()],
      log: wal,
      dedup: window,
      logger: silentLogger,
      groupMaxBytes: 2000,
    });
  }

  static async start(fileSystem: FaultyFileSystem): Promise<Node> {
    const wal = await WalWriter.open({
      directory: '/data/wal',
      fileSystem,
      logger: silentLogger,
      schemaHash: new Uint8Array(16),
      segmentMaxBytes: 8000,
    });
    const window = await openDedupWindow({
      fileSystem,
      directory: dedupDirectory,
      logger: silentLogger,
      windowEvents: 1000,
      unsealed: wal.unsealedSegments(),
      fingerprintsOf: ({ path }, seed) => fingerprintsOf({ fileSystem, path, schemaMessage, seed }),
    });
    return new Node(fileSystem, wal, window);
  }

  send(ids: readonly string[], isRejected: boolean): Promise<void> {
    return this.commit.admit(({ builder }) => {
      builder.beginRequest({
        nowNs: 1n,
        tenant: encoder.encode('acme'),
        source: encoder.encode('s'),
      });
      for (const id of ids) {
        builder.begin();
        const body = encoder.encode(`event ${id}`.padEnd(200));
        builder.setBody(body, 0, body.length);
        const key = encoder.encode(id);
        builder.setIdempotencyKey(encoder.encode('test:'), key, 0, key.length);
        builder.end();
      }
      if (isRejected)
        throw new NodeError('ingest_malformed_body', 'refused after its events were appended');
    });
  }

  async seal(world: World): Promise<void> {
    await this.wal.rotate();
    for (const segment of this.wal.unsealedSegments()) await this.#sealSegment(world, segment);
    await tidyFingerprints({ fileSystem: this.fileSystem, directory: dedupDirectory }, 1000);
  }

  async #sealSegment(world: World, segment: ClosedSegment): Promise<void> {
    const { fileSystem, window } = this;
    const { segmentId, path } = segment;
    // Sealing is idempotent by the segment's id; an earlier life may have come as far as any of these lines.
    world.published.set(segmentId, await idsOf(fileSystem, path));
    const { seed } = window;
    const fingerprints = await fingerprintsOf({ fileSystem, path, schemaMessage, seed });
    const store = { fileSystem, directory: dedupDirectory };
    await saveFingerprints(store, segmentId, { seed, fingerprints });
    await this.wal.remove(segmentId);
  }
}

async function idsOf(fileSystem: FaultyFileSystem, path: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { payload } of readSegment({ fileSystem, path })) {
    for (const batch of RecordBatchReader.from([schemaMessage, payload])) {
      for (const id of batch.getChild('idempotency_key') ?? []) ids.push(String(id));
    }
  }
  return ids;
}

type Step =
  | { readonly kind: 'seal' }
  | { readonly kind: 'send'; readonly requests: readonly Request[] };
interface Request {
  readonly ids: readonly string[];
  readonly isRejected: boolean;
  /** Turns of the event loop it arrives after the others, so that it meets a group in flight. */
  readonly delayTurns: number;
}

async function sendAll(node: Node, world: World, requests: readonly Request[]): Promise<void> {
  await Promise.all(
    requests.map(async ({ ids, isRejected, delayTurns }) => {
      for (let turn = 0; turn < delayTurns; turn += 1) await new Promise(setImmediate);
      if (!isRejected) for (const id of ids) world.sent.add(id);
      try {
        await node.send(ids, isRejected);
        for (const id of ids) world.acknowledged.add(id);
      } catch (error) {
        if (!(error instanceof NodeError) && !(error instanceof SimulatedDeath)) throw error;
      }
    }),
  );
}

async function live(
  fileSystem: FaultyFileSystem,
  world: World,
  steps: readonly Step[],
): Promise<void> {
  try {
    const node = await Node.start(fileSystem);
    for (const step of steps) {
      try {
        if (step.kind === 'seal') await node.seal(world);
        else await sendAll(node, world, step.requests);
      } catch (error) {
        if (!isDiskError(error)) throw error;
      }
    }
  } catch (error) {
    if (!(error instanceof SimulatedDeath) && !isDiskError(error)) throw error;
  }
}

function isDiskError(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}

/** The last life: clients repeat whatever was not acknowledged, then everything is counted. */
async function settle(fileSystem: FaultyFileSystem, world: World): Promise<void> {
  const node = await Node.start(fileSystem);
  const unanswered = [...world.sent].filter((sentId) => !world.acknowledged.has(sentId));
  const requests = unanswered.map((sentId) => ({
    ids: [sentId],
    isRejected: false,
    delayTurns: 0,
  }));
  await sendAll(node, world, requests);
  await node.seal(world);
  const stored = [...world.published.values()].flat();
  const expected = [...world.sent].map((sentId) => `test:${sentId}`);
  expect(stored.toSorted()).toEqual(expected.toSorted());
}

const id = fc.integer({ min: 1, max: 30 }).map(String);
const request = fc.record({
  ids: fc.array(id, { minLength: 1, maxLength: 4 }),
  isRejected: fc.integer({ min: 0, max: 5 }).map((value) => value === 0),
  delayTurns: fc.nat(6),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      requests: fc.array(request, { minLength: 1, maxLength: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'seal' as const }) },
);

describe('ingest after crashes and refusals', () => {
  test('stores every event with a stable id exactly once when clients repeat what was not acknowledged', async () => {
    const fault = fc.constantFrom<Fault>('kill', 'power-cut', 'EIO', 'ENOSPC');
    const life = fc.record({
      steps: fc.array(step, { maxLength: 6 }),
      faults: fc.dictionary(fc.nat(40).map(String), fault, { maxKeys: 3 }),
      end: fc.constantFrom('kill' as const, 'power-cut' as const),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(life, { minLength: 1, maxLength: 4 }),
        async (seed, lives) => {
          const world = new World();
          let disk = new FaultyFileSystem();
          for (const { steps, faults, end } of lives) {
            disk = disk.restart({
              seed,
              plan: ({ index }) => faults[String(index)],
              otherwise: end,
            });
            await live(disk, world, steps);
            if (!disk.isDead) disk = disk.restart({ seed: seed + 1, otherwise: end });
          }
          await settle(disk.restart({ seed }), world);
        },
      ),
      { numRuns: 200 },
    );
  }, 60_000);
});
