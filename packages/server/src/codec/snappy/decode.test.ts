import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type SnappyElement,
  snappyBlock,
  snappyChunk,
  snappyDataChunk,
  snappyLiteral,
  streamHead,
} from '../../../test/fixture/snappy-encode.ts';
import { NodeError } from '../../base/errors.ts';
import { decodeSnappy } from './decode.ts';

const limit = 1 << 20;
const malformed = expect.objectContaining({ code: 'ingest_malformed_body' });
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): Buffer => Buffer.from(decodeSnappy(bytes, limit) ?? []);

/** Elements whose copies stay within what the elements before them wrote. */
const elements = fc
  .array(
    fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }).map((literal) => ({ literal })),
      fc.record({ back: fc.nat(), length: fc.integer({ min: 1, max: 64 }) }),
    ),
    { maxLength: 40 },
  )
  .map((drafts) => {
    let size = 0;
    const made: SnappyElement[] = [];
    for (const draft of drafts) {
      if ('literal' in draft) {
        made.push(draft);
        size += draft.literal.length;
      } else if (size > 0) {
        made.push({ offset: 1 + (draft.back % size), length: draft.length });
        size += draft.length;
      }
    }
    return made;
  });

describe('a block', () => {
  it.each([
    ['AA==', ''],
    ['AQBh', 'a'],
    ['IxRoZWxsbyByBgA=', 'hello hello hello hello hello hello'],
  ])('%s of another encoder is read', (base64, text) => {
    expect(decode(Buffer.from(base64, 'base64')).toString()).toBe(text);
  });

  it('is read whatever its elements are', () => {
    fc.assert(
      fc.property(elements, (list) => {
        const { encoded, decoded } = snappyBlock(list);
        expect(decode(encoded).equals(decoded)).toBe(true);
      }),
    );
  });

  it('is read when an element has a length or an offset of many bytes', () => {
    const long = new Uint8Array(70_000).fill(7);
    const { encoded, decoded } = snappyBlock([
      { literal: Uint8Array.of(1, 2, 3) },
      { literal: long },
      { offset: 70_003, length: 3 },
      { offset: 66_000, length: 64 },
    ]);
    expect(decode(encoded).equals(decoded)).toBe(true);
    expect(decode(snappyLiteral(long)).equals(long)).toBe(true);
  });

  it('larger than the limit is told by its first bytes alone', () => {
    const { encoded, decoded } = snappyBlock([{ literal: bytesOf('x'.repeat(100)) }]);
    expect(decodeSnappy(encoded, decoded.length)).toHaveLength(100);
    expect(decodeSnappy(encoded, decoded.length - 1)).toBeUndefined();
  });

  it.each([
    ['has no length', []],
    ['has a length without an end', [0x80, 0x80]],
    ['claims a length that so few bytes cannot give', [0xff, 0xff, 0xff, 0x7f, 0x00, 0x61]],
    ['ends inside a literal', [3, 2 << 2, 0x61, 0x62]],
    ['ends inside the length of a literal', [3, 61 << 2, 0]],
    ['ends inside a copy', [5, 0, 0x61, 2, 1]],
    ['copies from before its start', [5, 0, 0x61, 1, 2]],
    ['copies from where it stands', [5, 0, 0x61, 1, 0]],
    ['is longer than its length', [2, 2 << 2, 0x61, 0x62, 0x63]],
    ['copies beyond its length', [4, 0, 0x61, 1, 1]],
    ['is shorter than its length', [4, 0, 0x61]],
  ])('is refused when it %s', (_, bytes) => {
    expect(() => decodeSnappy(Uint8Array.from(bytes), limit)).toThrow(malformed);
  });
});

describe('the framing format', () => {
  const block = snappyBlock([{ literal: bytesOf('abc') }, { offset: 3, length: 9 }]);

  it('is told by its first bytes, and its chunks are joined', () => {
    const stream = Buffer.concat([
      streamHead,
      snappyDataChunk(bytesOf('plain ')),
      snappyChunk(0xfe, new Uint8Array(5)),
      snappyDataChunk(block),
      streamHead,
      snappyDataChunk(snappyBlock([])),
    ]);
    expect(decode(stream).toString()).toBe('plain abcabcabcabc');
    expect(decodeSnappy(stream, 18)).toHaveLength(18);
    expect(decodeSnappy(stream, 17)).toBeUndefined();
    expect(decode(streamHead)).toHaveLength(0);
  });

  it.each<[string, ...Uint8Array[]]>([
    ['ends inside the head of a chunk', streamHead, Uint8Array.of(0)],
    ['ends inside a chunk', streamHead, snappyDataChunk(block).subarray(0, -1)],
    ['has a chunk of an unknown kind', streamHead, snappyChunk(2, new Uint8Array(8))],
    ['has a chunk without a checksum', streamHead, snappyChunk(1, new Uint8Array(3))],
    ['has a chunk that is too long', streamHead, snappyDataChunk(new Uint8Array(65_537))],
    ['has a wrong checksum', streamHead, snappyChunk(1, bytesOf('0000abc'))],
  ])('is refused when it %s', (_, ...parts) => {
    expect(() => decodeSnappy(Buffer.concat(parts), limit)).toThrow(malformed);
  });

  it('is refused or read when any byte is changed, and nothing else happens', () => {
    const stream = Buffer.concat([streamHead, snappyDataChunk(block), snappyDataChunk(block)]);
    let refused = 0;
    for (let at = 0; at < stream.length; at++) {
      const damaged = Uint8Array.from(stream);
      damaged[at] = damaged[at]! ^ 0x11;
      try {
        decodeSnappy(damaged, limit);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(stream.length / 2);
  });
});
