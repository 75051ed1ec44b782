import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTimestamp } from './timestamp-text.ts';

const encoder = new TextEncoder();

function parse(text: string): bigint | undefined {
  const bytes = encoder.encode(`[${text}]`);
  const halves = { high: 0, low: 0 };
  if (!parseTimestamp(bytes, 1, bytes.length - 1, halves)) return undefined;
  return (BigInt(halves.high) << 32n) | BigInt(halves.low);
}

const maxNs = (1n << 63n) - 1n;

describe('parseTimestamp', () => {
  it.each([
    ['2026-01-02T03:04:05.123456789Z', 1_767_323_045_123_456_789n],
    ['2026-01-02T03:04:05Z', 1_767_323_045_000_000_000n],
    ['2026-01-02 03:04:05,5', 1_767_323_045_500_000_000n],
    ['2026-01-02t03:04z', 1_767_323_040_000_000_000n],
    ['2026-01-02', 1_767_312_000_000_000_000n],
    ['2026-01-02T05:34:05.1234567899+02:30', 1_767_323_045_123_456_789n],
    ['2026-01-01T22:04:05.000-0500', 1_767_323_045_000_000_000n],
    ['2026-01-02T04:04:05+01', 1_767_323_045_000_000_000n],
    ['2016-12-31T23:59:60Z', 1_483_228_800_000_000_000n],
    ['1969-12-31T23:59:59.999999999Z', -1n],
    ['9999-01-01T00:00:00Z', maxNs],
    ['0001-01-01T00:00:00Z', -(1n << 63n)],
    ['1700000000', 1_700_000_000_000_000_000n],
    ['1700000000.123456789', 1_700_000_000_123_456_789n],
    ['1700000000123', 1_700_000_000_123_000_000n],
    ['1700000000123.4567', 1_700_000_000_123_456_700n],
    ['1700000000123456', 1_700_000_000_123_456_000n],
    ['1700000000123456789', 1_700_000_000_123_456_789n],
    ['1.7e9', 1_700_000_000_000_000_000n],
    ['17E11', 1_700_000_000_000_000_000n],
    ['0', 0n],
    ['0.5', 500_000_000n],
    ['-1.5', -1_500_000_000n],
    ['-1', -1_000_000_000n],
    ['99999999999999999999', maxNs],
    ['1e400', maxNs],
  ])('reads %s', (text, expected) => {
    expect(parse(text)).toBe(expected);
  });

  it.each([
    '',
    '-',
    '.5',
    '1.',
    'now',
    '1700000000x',
    '2026-13-01',
    '2026-02-29',
    '2026-01-00',
    '2026-01-02T',
    '2026-01-02T03',
    '2026-01-02T24:00:00Z',
    '2026-01-02T03:60:00Z',
    '2026-01-02T03:04:61Z',
    '2026-01-02T03:04:05ZZ',
    '2026-01-02T03:04:05+1',
    '2026-01-02T03:04:05+19:00',
    '2026-01-02T03:04:05.',
    'x'.repeat(50),
  ])('refuses %j', (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it('agrees with Date on every day and time', () => {
    const date = fc.date({
      min: new Date('1700-01-01'),
      max: new Date('2262-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, (value) => {
        expect(parse(value.toISOString())).toBe(BigInt(value.getTime()) * 1_000_000n);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads any byte string without leaving its span', () => {
    const piece = fc.constantFrom(...Array.from('0123456789-+:.,TZ e'), '2026', '1700000000');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const parsed = parse(pieces.join(''));
        if (parsed !== undefined) expect(BigInt.asIntN(64, parsed)).toBe(parsed);
      }),
      { numRuns: 3000 },
    );
  });
});
