import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FaultyFileSystem,
  SimulatedDeath,
  type Fault,
  type FaultPlan,
} from '../../test/fixture/faulty-file-system.ts';
import { NodeError } from '../base/errors.ts';
import { silentLogger } from '../base/logger.ts';
import { readSegment, readWholeSegment, WalWriter } from './index.ts';

const directory = '/data/wal';

type Step =
  | { readonly kind: 'append'; readonly bytes: number }
  | { readonly kind: 'rotate' }
  | { readonly kind: 'remove' };

/** What the clients and the sealer of all lives of one node know. */
class Ledger {
  readonly acknowledged = new Set<number>();
  /** In a segment whose removal was begun: may be gone. */
  readonly released = new Set<number>();
  /** In a segment whose removal succeeded: must be gone. */
  readonly removed = new Set<number>();
  /** By segment id, as the sealer knew them when it began to remove the segment. */
  readonly sealed = new Map<string, readonly number[]>();
  nextId = 1;

  check(found: readonly number[]): void {
    expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
    const foundIds = new Set(found);
    for (const id of this.acknowledged) {
      if (!this.released.has(id)) expect(foundIds, `acknowledged ${id}`).toContain(id);
    }
    for (const id of this.removed) expect(foundIds, `removed ${id}`).not.toContain(id);
    // What a start has not found must never come back: whoever replaced it may delete the replacement now.
    for (const id of this.released) if (!foundIds.has(id)) this.removed.add(id);
    const newest = Math.max(0, ...this.acknowledged);
    for (const id of found) {
      // Something refused may be found only as the very last record; from now on it has to stay.
      if (!this.acknowledged.has(id)) expect(id).toBeGreaterThan(newest);
    }
    const unknown = found.filter((id) => !this.acknowledged.has(id));
    expect(unknown.length).toBeLessThanOrEqual(1);
    for (const id of unknown) this.acknowledged.add(id);
  }
}

function openWriter(fileSystem: FaultyFileSystem): Promise<WalWriter> {
  return WalWriter.open({
    directory,
    fileSystem,
    logger: silentLogger,
    schemaHash: new Uint8Array(16),
    segmentMaxBytes: 6000,
  });
}

function payloadOf(id: number, bytes: number): Uint8Array[] {
  const payload = new Uint8Array(Math.max(8, bytes)).fill(id % 251);
  new DataView(payload.buffer).setUint32(0, id, true);
  return [payload.subarray(0, 5), payload.subarray(5)];
}

function idOf(payload: Uint8Array): number {
  expect(payload.byteOffset % 8).toBe(0);
  return new DataView(payload.buffer, payload.byteOffset).getUint32(0, true);
}

async function idsOf(fileSystem: FaultyFileSystem, path: string): Promise<number[]> {
  const ids: number[] = [];
  for await (const record of readSegment({ fileSystem, path })) ids.push(idOf(record.payload));
  const whole = await readWholeSegment({ fileSystem, path });
  expect(whole.map((record) => idOf(record.payload))).toEqual(ids);
  return ids;
}

async function perform(
  step: Step,
  node: { writer: WalWriter; fileSystem: FaultyFileSystem; ledger: Ledger },
): Promise<void> {
  const { writer, fileSystem, ledger } = node;
  if (step.kind === 'append') {
    const id = ledger.nextId++;
    await writer.append(payloadOf(id, step.bytes), 1);
    ledger.acknowledged.add(id);
  } else if (step.kind === 'rotate') {
    await writer.rotate();
  } else {
    const oldest = writer.unsealedSegments()[0];
    if (oldest === undefined) return;
    const ids = ledger.sealed.get(oldest.segmentId) ?? (await idsOf(fileSystem, oldest.path));
    ledger.sealed.set(oldest.segmentId, ids);
    for (const id of ids) ledger.released.add(id);
    await writer.remove(oldest.segmentId);
    for (const id of ids) ledger.removed.add(id);
  }
}

/** One life of the node: replay, check, then the steps; refusals are survived, a death ends it. */
async function live(
  fileSystem: FaultyFileSystem,
  ledger: Ledger,
  steps: readonly Step[],
): Promise<void> {
  try {
    const writer = await openWriter(fileSystem);
    const found: number[] = [];
    for (const segment of writer.unsealedSegments()) {
      found.push(...(await idsOf(fileSystem, segment.path)));
    }
    ledger.check(found);
    for (const step of steps) {
      try {
        await perform(step, { writer, fileSystem, ledger });
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        expect(error.code).toBe('wal_write_failed');
      }
    }
  } catch (error) {
    if (error instanceof SimulatedDeath) return;
    // A refused write during replay ends the start.
    if (!(error instanceof NodeError && error.code === 'wal_write_failed')) throw error;
  }
}

function failAt(index: number, fault: Fault): FaultPlan {
  return (operation) => (operation.index === index ? fault : undefined);
}

const script: readonly Step[] = [
  { kind: 'append', bytes: 100 },
  { kind: 'append', bytes: 3000 },
  { kind: 'rotate' },
  { kind: 'remove' },
  { kind: 'append', bytes: 1500 },
  { kind: 'append', bytes: 9000 },
  { kind: 'append', bytes: 17 },
  { kind: 'remove' },
  { kind: 'append', bytes: 5 },
  { kind: 'rotate' },
  { kind: 'append', bytes: 700 },
];

describe('the log after a crash', () => {
  for (const fault of ['kill', 'power-cut', 'EIO', 'ENOSPC'] as const) {
    test(`loses and doubles nothing acknowledged when any one operation meets ${fault}`, async () => {
      const trial = new FaultyFileSystem();
      await live(trial, new Ledger(), script);
      expect(trial.operations).toBeGreaterThan(30);
      for (let index = 0; index < trial.operations; index += 1) {
        for (let seed = 0; seed < 8; seed += 1) {
          const ledger = new Ledger();
          let disk = new FaultyFileSystem({ seed, plan: failAt(index, fault) });
          await live(disk, ledger, script);
          // A start that does nothing but look, so that nothing later makes durable what the start should have.
          disk = disk.restart({ seed: seed + 100 });
          await live(disk, ledger, []);
          disk = disk.restart({ seed: seed + 200, otherwise: 'power-cut' });
          await live(disk, ledger, script);
          disk = disk.restart({ otherwise: 'power-cut' });
          await live(disk, ledger, []);
        }
      }
    });
  }

  test('loses and doubles nothing over several lives with faults anywhere', async () => {
    const step: fc.Arbitrary<Step> = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ kind: fc.constant('append' as const), bytes: fc.nat(5000) }),
      },
      { weight: 1, arbitrary: fc.constant({ kind: 'rotate' as const }) },
      { weight: 1, arbitrary: fc.constant({ kind: 'remove' as const }) },
    );
    const fault = fc.constantFrom<Fault>('kill', 'power-cut', 'EIO', 'ENOSPC');
    const life = fc.record({
      steps: fc.array(step, { maxLength: 12 }),
      faults: fc.dictionary(fc.nat(40).map(String), fault, { maxKeys: 4 }),
      end: fc.constantFrom('kill' as const, 'power-cut' as const),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(life, { minLength: 1, maxLength: 5 }),
        async (seed, lives) => {
          const ledger = new Ledger();
          let disk = new FaultyFileSystem();
          for (const { steps, faults, end } of lives) {
            const plan: FaultPlan = (operation) => faults[String(operation.index)];
            disk = disk.restart({ seed, plan, otherwise: end });
            await live(disk, ledger, steps);
            if (!disk.isDead) disk = disk.restart({ seed: seed + 1, otherwise: end });
          }
          await live(disk.restart({ seed }), ledger, []);
        },
      ),
      { numRuns: 500 },
    );
  });
});
