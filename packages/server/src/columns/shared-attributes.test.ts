import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeError } from '../base/errors.ts';
import { encodeRecordBatch } from './arrow-ipc.ts';
import { RawEventBuilder } from './raw-event-builder.ts';
import { SharedAttributes } from './shared-attributes.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

type Pair = readonly [key: string, value: string | null];
type Step =
  | { readonly kind: 'own' | 'derived'; readonly pair: Pair }
  | { readonly kind: 'block'; readonly block: number };

const key = fc.constantFrom(
  'a',
  'b',
  'resource.a',
  'duplicate.a',
  'service.name',
  'host',
  'host.name',
  'env',
);
const value = fc.oneof(fc.constant(null), fc.string({ maxLength: 40 }));
const pair: fc.Arbitrary<Pair> = fc.tuple(key, value);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('own' as const, 'derived' as const), pair }),
  fc.record({ kind: fc.constant('block' as const), block: fc.nat({ max: 2 }) }),
);
const blocks = fc.array(fc.array(pair, { maxLength: 6 }), { minLength: 3, maxLength: 3 });
const events = fc.array(fc.array(step, { maxLength: 8 }), { minLength: 1, maxLength: 6 });

function fill(shared: SharedAttributes, pairs: readonly Pair[]): void {
  shared.clear();
  for (const [name, content] of pairs) {
    const bytes = text(name + (content ?? ''));
    const { length } = text(name);
    if (content === null) shared.addNull(bytes, 0, length);
    else shared.add(bytes, 0, length, bytes, length, bytes.length);
  }
}

/** Has had a name twice, so that its entries are appended one by one. */
function fillForSingles(shared: SharedAttributes, pairs: readonly Pair[]): void {
  fill(shared, [...pairs, ['x', ''], ['x', '']]);
  shared.truncate(pairs.length);
}

/** The batch as Arrow bytes, and what was thrown by events that were refused. */
function build(
  run: { blocks: readonly Pair[][]; events: readonly Step[][]; maxAttributes: number },
  fillBlock: typeof fill,
): { readonly bytes: string; readonly refusals: readonly string[] } {
  const builder = new RawEventBuilder({
    limits: { maxEventBytes: 10_000, maxAttributes: run.maxAttributes, maxBatchBytes: 1_000_000 },
    timestamps: { maxFutureNs: 0n, maxAgeNs: undefined, action: 'clamp' },
  });
  builder.beginRequest({ nowNs: 5n, tenant: text('acme'), source: text('test') });
  const shared = run.blocks.map((pairs) => {
    const block = new SharedAttributes();
    // What was there before must not show.
    fillBlock(block, [['b', 'gone']]);
    fillBlock(block, pairs);
    return block;
  });
  const take = (current: Step): void => {
    if (current.kind === 'block') {
      const block = shared[current.block];
      if (block !== undefined) builder.sharedAttributes(block);
      return;
    }
    const [name, content] = current.pair;
    if (current.kind === 'derived') builder.derivedAttribute(text(name), text(content ?? ''));
    else if (content === null) builder.attributeNull(text(name), 0, text(name).length);
    else builder.attributeText(text(name), text(content));
  };
  const refusals: string[] = [];
  for (const steps of run.events) {
    const { rows } = builder;
    try {
      builder.begin();
      for (const current of steps) take(current);
      builder.end();
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      refusals.push(error.code);
      builder.batch.truncate(rows);
    }
  }
  return { bytes: Buffer.concat(encodeRecordBatch(builder.batch)).toString('latin1'), refusals };
}

describe('SharedAttributes', () => {
  it('give the same columns whether they are appended as a block or one by one', () => {
    const maxAttributes = fc.integer({ min: 2, max: 30 });
    fc.assert(
      fc.property(fc.record({ blocks, events, maxAttributes }), (run) => {
        expect(build(run, fill)).toEqual(build(run, fillForSingles));
      }),
      { numRuns: 500 },
    );
  });
});
