import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameSplitter, type FrameSplitterOptions } from './frame-splitter.ts';

function setup(options: Partial<FrameSplitterOptions> = {}) {
  const frames: string[] = [];
  const lost: string[] = [];
  const held = { bytes: 0, max: Infinity };
  const splitter = new FrameSplitter({
    maxFrameBytes: 100,
    isLineFeedEnd: false,
    onFrame: (frame) => frames.push(Buffer.from(frame).toString('latin1')),
    onLost: (reason) => lost.push(reason),
    hold(bytes) {
      if (held.bytes + bytes > held.max) return false;
      held.bytes += bytes;
      return true;
    },
    ...options,
  });
  return { frames, lost, held, splitter };
}

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

it('finds the same frames however the stream is cut', () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 30 }));
  const cuts = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 });
  fc.assert(
    fc.property(texts, cuts, fc.boolean(), (all, sizes, hasLastNul) => {
      const { frames, lost, held, splitter } = setup();
      const stream = bytes(all.join('\0') + (hasLastNul ? '\0' : ''));
      for (let at = 0, turn = 0; at < stream.length; turn++) {
        const end = at + (sizes[turn % sizes.length] ?? 1);
        splitter.add(stream.subarray(at, end));
        at = end;
      }
      splitter.end();
      expect(frames).toEqual(all.filter((text) => text.trim() !== ''));
      expect(lost).toEqual([]);
      expect(held.bytes).toBe(0);
      expect(splitter.isInFrame).toBe(false);
    }),
  );
});

it('ends frames at line feeds too when it is told to', () => {
  const { frames, splitter } = setup({ isLineFeedEnd: true });
  splitter.add(bytes('{"a":1}\n{"b":2}\0\r\n{"c'));
  splitter.add(bytes('":3}\n'));
  expect(frames).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
});

describe('a frame that is too long', () => {
  it.each([[[150]], [[60, 60]], [[90, 20, 500]], [[100, 1]]])(
    'in pieces of %j bytes is counted once, and the next one is read',
    (pieces) => {
      const { frames, lost, held, splitter } = setup();
      for (const size of pieces) splitter.add(bytes('x'.repeat(size)));
      splitter.add(bytes('\0next\0'));
      expect(lost).toEqual(['request_body_too_large']);
      expect(frames).toEqual(['next']);
      expect(held.bytes).toBe(0);
    },
  );

  it('is one that has more bytes than the limit', () => {
    const { frames, lost, splitter } = setup();
    splitter.add(bytes(`${'x'.repeat(100)}\0`));
    expect(frames).toHaveLength(1);
    splitter.add(bytes(`${'x'.repeat(101)}\0`));
    expect(lost).toHaveLength(1);
  });
});

it('gives a frame up when all connections together hold too much', () => {
  const { frames, lost, held, splitter } = setup();
  held.max = 50;
  splitter.add(bytes('x'.repeat(40)));
  splitter.add(bytes('x'.repeat(20)));
  splitter.add(bytes('rest\0next\0'));
  expect(lost).toEqual(['ingest_backpressure']);
  expect(frames).toEqual(['next']);
  expect(held.bytes).toBe(0);
});

it('passes over the rest of an abandoned frame', () => {
  const { frames, lost, splitter } = setup();
  splitter.add(bytes('begin'));
  splitter.abandon('ingest_incomplete_message');
  splitter.add(bytes(' rest\0next\0'));
  splitter.abandon('ingest_incomplete_message');
  expect(lost).toEqual(['ingest_incomplete_message']);
  expect(frames).toEqual(['next']);
});
