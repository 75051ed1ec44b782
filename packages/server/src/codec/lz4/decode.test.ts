import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeLz4 } from './decode.ts';
import { xxh32 } from './xxh32.ts';

const limit = 1 << 20;
const malformed = expect.objectContaining({ code: 'ingest_malformed_body' });
const decode = (bytes: Uint8Array): Buffer => Buffer.from(decodeLz4(bytes, limit) ?? []);
const fromBase64 = (text: string): Buffer => Buffer.from(text, 'base64');

/** Written by the reference implementation. */
const lines = 'one line of a log\n'.repeat(4000);
const linked = fromBase64(
  [
    'BCJNGFRArh0BAAD/A29uZSBsaW5lIG9mIGEgbG9nChIA',
    '/'.repeat(341),
    '9ZQIGEgbG/xfmffIwAAAA/w',
    '/'.repeat(34),
    '9BUCBsb2cK7osELQAAAAAOBDhK',
  ].join(''),
);
const independent = fromBase64(
  [
    'BCJNGGBAgh0BAAD/A29uZSBsaW5lIG9mIGEgbG9nChIA',
    '/'.repeat(341),
    '9ZQIGEgbG82AAAA/wNnCm9uZSBsaW5lIG9mIGEgbG8SAP',
    '/'.repeat(32),
    '8vUCBsb2cKAAAAAA==',
  ].join(''),
);
const sized = fromBase64(
  [
    'BCJNGGxQQBkBAAAAAAB2NwEAAP8Db25lIGxpbmUgb2YgYSBsb2cKEgD',
    '/'.repeat(375),
    '8wUCBsb2cKAAAAAA4EOEo=',
  ].join(''),
);
const stored = fromBase64(
  'BCJNGGRApygAAIAABxxAcbADXsdEyWEIt3lKKBQPFy1ShMQYdN5c4nsj05ZoRzQwOVB2AAAAALdStyw=',
);
const storedContent = 'AAccQHGwA17HRMlhCLd5SigUDxctUoTEGHTeXOJ7I9OWaEc0MDlQdg==';

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** A frame without checksums but that of its head: blocks of at most 64 KiB, which may be linked. */
function frame(blocks: readonly Uint8Array[], flags = 0x40): Buffer {
  const descriptor = Buffer.from([flags, 0x40]);
  const checksum = (xxh32(descriptor, 0, 2) >> 8) & 0xff;
  const parts = blocks.flatMap((block) => [uint32(block.length), block]);
  const magic = uint32(0x184d2204);
  return Buffer.concat([magic, descriptor, Uint8Array.of(checksum), ...parts, uint32(0)]);
}

type Sequence = { readonly literals: Uint8Array; readonly offset: number; readonly match: number };

function lengthBytes(length: number): number[] {
  if (length < 15) return [];
  const rest = length - 15;
  return [...Array<number>(Math.floor(rest / 255)).fill(255), rest % 255];
}

/** A block of these sequences and the literals that end it, and what it stands for behind `before`. */
function block(sequences: readonly Sequence[], last: Uint8Array, before: readonly number[] = []) {
  const decoded = [...before];
  const encoded: number[] = [];
  for (const { literals, offset, match } of sequences) {
    const matchBytes = match - 4;
    encoded.push((Math.min(literals.length, 15) << 4) | Math.min(matchBytes, 15));
    encoded.push(...lengthBytes(literals.length), ...literals);
    encoded.push(offset & 255, offset >> 8, ...lengthBytes(matchBytes));
    decoded.push(...literals);
    for (let index = 0; index < match; index++) decoded.push(decoded[decoded.length - offset] ?? 0);
  }
  encoded.push(Math.min(last.length, 15) << 4, ...lengthBytes(last.length), ...last);
  decoded.push(...last);
  return { encoded: Uint8Array.from(encoded), decoded };
}

const drafts = fc.array(
  fc.record({
    literals: fc.uint8Array({ maxLength: 300 }),
    back: fc.nat(),
    match: fc.integer({ min: 4, max: 600 }),
  }),
  { maxLength: 12 },
);

/** Offsets that stay within what stands before them. */
function sequencesOf(
  list: typeof drafts extends fc.Arbitrary<infer T> ? T : never,
  before: number,
) {
  let size = before;
  const made: Sequence[] = [];
  for (const { literals, back, match } of list) {
    size += literals.length;
    if (size === 0) continue;
    made.push({ literals, offset: 1 + (back % size), match });
    size += match;
  }
  return made;
}

describe('a frame', () => {
  it.each([
    ['with linked blocks and all checksums', linked],
    ['with blocks of their own', independent],
    ['that tells its length', sized],
  ])('%s is read, up to the limit and no further', (_, bytes) => {
    expect(decode(bytes).toString()).toBe(lines);
    expect(decodeLz4(bytes, lines.length)).toHaveLength(lines.length);
    expect(decodeLz4(bytes, lines.length - 1)).toBeUndefined();
  });

  it('with bytes that were not compressed is read', () => {
    expect(decode(stored).toString('base64')).toBe(storedContent);
    expect(decodeLz4(stored, 39)).toBeUndefined();
  });

  it('may stand behind others and behind frames that carry no data', () => {
    const skippable = Buffer.concat([uint32(0x184d2a53), uint32(3), Buffer.from('abc')]);
    const all = Buffer.concat([skippable, stored, skippable, linked, frame([])]);
    expect(decode(all)).toHaveLength(40 + lines.length);
    expect(decode(skippable)).toHaveLength(0);
  });

  it('is read whatever its sequences are, with matches in the block before as well', () => {
    fc.assert(
      fc.property(drafts, drafts, fc.uint8Array({ maxLength: 40 }), (first, second, last) => {
        const one = block(sequencesOf(first, 0), last);
        const two = block(sequencesOf(second, one.decoded.length), last, one.decoded);
        const bytes = frame([one.encoded, two.encoded]);
        expect(decode(bytes).equals(Uint8Array.from(two.decoded))).toBe(true);
      }),
    );
  });

  const literal = (text: string): Uint8Array => block([], Buffer.from(text)).encoded;
  it.each<[string, Uint8Array]>([
    ['is empty', new Uint8Array(0)],
    ['has another magic number', Buffer.from('an event and another')],
    ['has another version', frame([literal('a')], 0x80)],
    ['needs a dictionary', frame([literal('a')], 0x41)],
    ['has a match before its start', frame([Uint8Array.of(0x10, 0x61, 2, 0, 0)])],
    ['has a match of no offset', frame([Uint8Array.of(0x10, 0x61, 0, 0, 0)])],
    [
      'has a match into a block it is not linked to',
      frame([literal('abcd'), Uint8Array.of(0, 1, 0, 0)], 0x60),
    ],
    ['has a block that ends inside its literals', frame([Uint8Array.of(0x20, 0x61)])],
    ['has a block that ends inside a length', frame([Uint8Array.of(0xf0, 255)])],
    ['has a block that ends inside an offset', frame([Uint8Array.of(0x10, 0x61, 1)])],
    [
      'has a block of nothing',
      Buffer.concat([frame([]).subarray(0, 7), uint32(1), Uint8Array.of(0x0f)]),
    ],
    ['has a block beyond its end', Buffer.concat([frame([]).subarray(0, 7), uint32(10)])],
    [
      'has a block that decodes to more than it may',
      frame([
        block([{ literals: Buffer.from('a'), offset: 1, match: 65_536 }], Buffer.from('b')).encoded,
      ]),
    ],
    ['is cut in a frame without data', Buffer.concat([uint32(0x184d2a50), uint32(9)])],
  ])('is refused when it %s', (_, bytes) => {
    expect(() => decodeLz4(bytes, limit)).toThrow(malformed);
  });

  it('is refused when it is cut, or any byte of it is changed', () => {
    for (const bytes of [stored, linked, sized]) {
      for (let at = 0; at < bytes.length; at++) {
        expect(() => decodeLz4(bytes.subarray(0, at), limit)).toThrow(malformed);
        const changed = Uint8Array.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 0x55;
        let result: Uint8Array | undefined = new Uint8Array(0);
        expect(() => (result = decodeLz4(changed, limit))).toThrow(malformed);
        expect(result).toHaveLength(0);
      }
    }
  });
});

it('hashes as others do', () => {
  const hash = (text: string): number => xxh32(Buffer.from(text), 0, text.length);
  expect(hash('')).toBe(0x02cc5d05);
  expect(hash('a')).toBe(0x550d7456);
  expect(hash('abc')).toBe(0x32d153ff);
  expect(hash('Nobody inspects the spammish repetition')).toBe(0xe2293b2f);
});
