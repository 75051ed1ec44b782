import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBuffer } from './byte-buffer.ts';
import { appendDouble, appendInt64, isShortestDecimal, parseInt64 } from './number-text.ts';

const encoder = new TextEncoder();

function textOf(append: (out: ByteBuffer) => void): string {
  const out = new ByteBuffer(1);
  append(out);
  return new TextDecoder().decode(out.bytes.subarray(0, out.size));
}

function parse(text: string): bigint | undefined {
  const into = { high: 0, low: 0 };
  const bytes = encoder.encode(`7${text}7`);
  if (!parseInt64(bytes, 1, bytes.length - 1, into)) return undefined;
  return (BigInt(into.high) << 32n) | BigInt(into.low >>> 0);
}

const edges = [
  0n,
  1n,
  9n,
  10n,
  999_999_999n,
  1_000_000_000n,
  2n ** 31n,
  2n ** 32n,
  2n ** 53n + 1n,
  10n ** 18n,
  2n ** 63n - 1n,
];
const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(...edges, ...edges.map((edge) => -edge), -(2n ** 63n)),
);

describe('integers as halves', () => {
  it('are written and read exactly over all 64 bits', () => {
    fc.assert(
      fc.property(int64, (value) => {
        const high = Number(value >> 32n);
        const low = Number(BigInt.asIntN(32, value));
        expect(textOf((out) => appendInt64(out, high, low))).toBe(String(value));
        expect(parse(String(value))).toBe(value);
      }),
      { numRuns: 2000 },
    );
  });

  it('are read as unsigned up to 2^64 - 1 and refused beyond their range', () => {
    expect(parse('18446744073709551615')).toBe(-1n);
    expect(parse('00000000000000000000000042')).toBe(42n);
    for (const text of [
      '18446744073709551616',
      '-9223372036854775809',
      '9'.repeat(400),
      '',
      '-',
      '+1',
      '1.0',
      ' 1',
      '1e3',
    ]) {
      expect(parse(text)).toBeUndefined();
    }
  });
});

describe('doubles', () => {
  it('are written as ECMAScript writes them', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 1e21, 2 ** 32, 5e-7)),
        (value) => {
          expect(textOf((out) => appendDouble(out, value))).toBe(String(value));
        },
      ),
    );
  });

  it('keep their JSON text only when it is the shortest already', () => {
    const decimal = fc
      .tuple(fc.constantFrom('', '-'), fc.nat(1e6), fc.stringMatching(/^(\.[0-9]{1,16})?$/))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(decimal, (text) => {
        const bytes = encoder.encode(text);
        if (isShortestDecimal(bytes, 0, bytes.length)) expect(String(Number(text))).toBe(text);
      }),
      { numRuns: 5000 },
    );
    for (const text of ['0', '12', '-3.25', '0.000001', '123456789.125']) {
      expect(isShortestDecimal(encoder.encode(text), 0, text.length)).toBe(true);
    }
    for (const text of ['-0', '0.0000001', '1.0', '1e3', '1234567890123456']) {
      expect(isShortestDecimal(encoder.encode(text), 0, text.length)).toBe(false);
    }
  });
});
