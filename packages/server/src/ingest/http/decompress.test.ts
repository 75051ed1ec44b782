import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeError } from '../../base/errors.ts';
import { decompress } from './decompress.ts';

const text = new TextEncoder().encode('an event and another event\n'.repeat(2000));
const limit = text.length;

/** A frame of four bytes that carries no data. */
const skippable = Uint8Array.of(0x53, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4);
const concat = (...parts: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(Buffer.concat(parts));

/** A frame of one block that is not compressed. */
function lz4Frame(content: Uint8Array): Uint8Array {
  const head = Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0xc0);
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(0x8000_0000 + content.length);
  return concat(head, mark, content, new Uint8Array(4));
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof NodeError) return error.code;
    throw error;
  }
  return 'none';
}

const half = text.length / 2;
const encodings: readonly (readonly [string, string, Uint8Array])[] = [
  ['gzip', 'gzip', gzipSync(text)],
  [
    'gzip of several members',
    'x-gzip',
    concat(gzipSync(text.subarray(0, half)), gzipSync(text.subarray(half))),
  ],
  ['zlib under a list of what it may be', 'gzip,deflate', deflateSync(text)],
  ['gzip within zlib', 'gzip, deflate', deflateSync(gzipSync(text))],
  ['deflate with zlib framing', 'deflate', deflateSync(text)],
  ['deflate without framing', 'deflate', deflateRawSync(text)],
  ['zlib', 'zlib', deflateSync(text)],
  ['zstd', 'ZSTD', zstdCompressSync(text)],
  [
    'zstd of several frames',
    'zstd',
    concat(
      zstdCompressSync(text.subarray(0, half)),
      skippable,
      zstdCompressSync(text.subarray(half)),
      skippable,
    ),
  ],
  ['lz4', 'lz4', lz4Frame(text)],
  ['two encodings', 'gzip, zstd', zstdCompressSync(gzipSync(text))],
  ['nothing', 'identity', text],
];

describe('decompress', () => {
  it.each(encodings)('undoes %s, up to the limit and no further', (_, encoding, body) => {
    expect(Buffer.compare(decompress(body, encoding, limit), text)).toBe(0);
    expect(codeOf(() => decompress(body, encoding, limit - 1))).toBe('request_body_too_large');
  });

  it('inflates no bomb', () => {
    const bomb = zstdCompressSync(gzipSync(new Uint8Array(64 << 20)));
    expect(bomb.length).toBeLessThan(20_000);
    expect(codeOf(() => decompress(bomb, 'gzip, zstd', 1 << 20))).toBe('request_body_too_large');
    const frames = concat(...Array.from({ length: 100 }, () => zstdCompressSync(text)));
    expect(codeOf(() => decompress(frames, 'zstd', limit * 3))).toBe('request_body_too_large');
  });

  it.each(encodings.slice(0, -1))('calls cut or damaged %s malformed', (_, encoding, body) => {
    for (let end = 1; end < body.length; end += 1 + Math.floor(end / 20)) {
      const code = codeOf(() => decompress(body.subarray(0, end), encoding, limit));
      // A cut between two members or frames leaves a whole body.
      if (code !== 'none') expect(code).toBe('ingest_malformed_body');
    }
    expect(codeOf(() => decompress(concat(body, text), encoding, limit))).toBe(
      'ingest_malformed_body',
    );
  });

  it('has only its own errors for any bytes', () => {
    const codes = ['none', 'ingest_malformed_body', 'request_body_too_large'];
    fc.assert(
      fc.property(
        fc.constantFrom(...encodings.slice(0, -1)),
        fc.nat(),
        fc.integer({ min: 0, max: 255 }),
        ([, encoding, body], at, byte) => {
          const damaged = body.slice();
          damaged[at % body.length] = byte;
          expect(codes).toContain(codeOf(() => decompress(damaged, encoding, limit)));
        },
      ),
    );
  });

  it.each(['br', 'toString', 'gzip,gzip,gzip,gzip,gzip'])('does not know %s', (encoding) => {
    expect(codeOf(() => decompress(text, encoding, limit))).toBe('request_unsupported_media_type');
  });

  it('leaves an empty body empty', () => {
    expect(decompress(new Uint8Array(0), 'gzip', limit)).toHaveLength(0);
  });
});
