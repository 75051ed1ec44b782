import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '@varve/contract';
import { ManualClock } from '../../../test/fixture/manual-clock.ts';
import { ChunkAssembler, type ChunkAssemblerOptions, isChunk } from './chunk-assembler.ts';

const peer = '10.0.0.1';

function chunk(id: number, sequence: number, count: number, data: string | Uint8Array): Uint8Array {
  const head = Uint8Array.of(0x1e, 0x0f, 0, 0, 0, 0, 0, 0, 0, id, sequence, count);
  return Buffer.concat([head, Buffer.from(data)]);
}

function setup(options: Partial<ChunkAssemblerOptions> = {}) {
  const clock = new ManualClock();
  const lost: ErrorCode[] = [];
  const assembler = new ChunkAssembler({
    maxMessageBytes: 1000,
    clock,
    onLost: (reason) => lost.push(reason),
    ...options,
  });
  const add = (bytes: Uint8Array, from = peer): string | undefined => {
    const message = assembler.add(bytes, from);
    return message === undefined ? undefined : Buffer.from(message).toString();
  };
  return { clock, lost, assembler, add };
}

it('puts chunks together in any order, repeated ones included', () => {
  const cases = fc
    .uint8Array({ minLength: 1, maxLength: 600 })
    .chain((data) =>
      fc.tuple(fc.constant(data), fc.integer({ min: Math.ceil(data.length / 128), max: 300 })),
    )
    .chain(([data, size]) => {
      const count = Math.ceil(data.length / size);
      const order = Array.from({ length: count }, (_, index) => index);
      const repeats = fc.array(fc.integer({ min: 0, max: count - 1 }), { maxLength: 10 });
      return fc.tuple(
        fc.constant(data),
        fc.constant(size),
        repeats.chain((more) => {
          const all = [...order, ...more];
          return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length });
        }),
      );
    });
  fc.assert(
    fc.property(cases, ([data, size, order]) => {
      const { assembler, lost } = setup();
      const count = Math.ceil(data.length / size);
      const messages = order.flatMap((index) => {
        const part = data.subarray(index * size, (index + 1) * size);
        return assembler.add(chunk(1, index, count, part), peer) ?? [];
      });
      expect(messages.map((message) => Buffer.from(message))).toEqual([Buffer.from(data)]);
      expect(lost).toEqual([]);
      expect(assembler.pending).toEqual({ sets: 0, bytes: 0 });
    }),
  );
});

it('takes an empty last chunk, which some senders announce for full datagrams', () => {
  const { add, lost } = setup();
  expect(add(chunk(1, 0, 2, 'all'))).toBeUndefined();
  expect(add(chunk(1, 1, 2, ''))).toBe('all');
  expect(lost).toEqual([]);
});

it('keeps messages of several senders with the same id apart', () => {
  const { add } = setup();
  add(chunk(1, 0, 2, 'a'), '10.0.0.1');
  add(chunk(1, 0, 2, 'b'), '10.0.0.2');
  expect(add(chunk(1, 1, 2, '2'), '10.0.0.2')).toBe('b2');
  expect(add(chunk(1, 1, 2, '1'), '10.0.0.1')).toBe('a1');
});

describe('a message that stays incomplete', () => {
  it('is lost once 5 seconds after its first chunk, whatever comes later', () => {
    const { add, lost, clock, assembler } = setup();
    add(chunk(1, 0, 3, 'a'));
    clock.advance(4000);
    add(chunk(1, 1, 3, 'b'));
    clock.advance(999);
    expect(lost).toEqual([]);
    clock.advance(1);
    expect(lost).toEqual(['ingest_incomplete_message']);
    expect(assembler.pending).toEqual({ sets: 0, bytes: 0 });
    expect(add(chunk(1, 2, 3, 'c'))).toBeUndefined();
    clock.advance(20_000);
    expect(lost).toHaveLength(1);
  });

  it('gives way to newer ones when there are too many', () => {
    const { add, lost } = setup({ bounds: { sets: 2 } });
    for (const id of [1, 2, 3]) add(chunk(id, 0, 2, String(id)));
    expect(lost).toEqual(['ingest_incomplete_message']);
    expect(add(chunk(1, 1, 2, 'x'))).toBeUndefined();
    expect(add(chunk(2, 1, 2, 'x'))).toBe('2x');
  });

  it('gives way when all together hold too much', () => {
    const { add, lost, assembler } = setup({ bounds: { bytes: 2000 } });
    for (let id = 0; id < 50; id++) add(chunk(id, 0, 2, 'x'.repeat(500)));
    expect(assembler.pending.bytes).toBeLessThanOrEqual(2000);
    expect(lost.length + assembler.pending.sets).toBe(50);
  });

  it('is counted when the listener closes', () => {
    const { add, lost, assembler } = setup();
    add(chunk(1, 0, 2, 'a'));
    assembler.close();
    expect(lost).toEqual(['ingest_incomplete_message']);
  });
});

describe('a chunk that cannot be right', () => {
  it.each([
    ['no chunks', chunk(1, 0, 0, 'a')],
    ['more than 128 chunks', chunk(1, 0, 129, 'a')],
    ['a sequence number beyond the count', chunk(1, 2, 2, 'a')],
    ['a head that is cut', chunk(1, 0, 2, '').subarray(0, 11)],
  ])('is counted: %s', (_, bytes) => {
    const { add, lost, assembler } = setup();
    expect(isChunk(bytes)).toBe(true);
    expect(add(bytes)).toBeUndefined();
    expect(lost).toEqual(['ingest_malformed_body']);
    expect(assembler.pending.sets).toBe(0);
  });

  it('costs its message when it announces another count', () => {
    const { add, lost } = setup();
    add(chunk(1, 0, 3, 'a'));
    add(chunk(1, 1, 2, 'b'));
    add(chunk(1, 1, 3, 'b'));
    add(chunk(1, 2, 3, 'c'));
    expect(lost).toEqual(['ingest_malformed_body']);
  });

  it('costs its message when it makes it too large', () => {
    const { add, lost, assembler } = setup({ maxMessageBytes: 10 });
    add(chunk(1, 0, 2, 'aaaaaa'));
    expect(add(chunk(1, 1, 2, 'bbbbbb'))).toBeUndefined();
    expect(lost).toEqual(['request_body_too_large']);
    expect(assembler.pending).toEqual({ sets: 0, bytes: 0 });
  });
});
