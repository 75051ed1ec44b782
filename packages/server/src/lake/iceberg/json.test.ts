import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, stringifyJson } from './json.ts';

describe('metadata JSON', () => {
  it('keeps every digit of 63-bit integers and gives numbers where they are exact', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const parsed = parseJson(`{"id":${value}}`) as { id: number | bigint };
        expect(BigInt(parsed.id)).toBe(value);
        expect(typeof parsed.id).toBe(Number.isSafeInteger(Number(value)) ? 'number' : 'bigint');
        expect(stringifyJson(parsed)).toBe(`{"id":${value}}`);
      }),
    );
  });

  it('takes a null member for an absent one', () => {
    expect(parseJson('{"a":null,"b":{"c":null,"d":1.5}}')).toEqual({ b: { d: 1.5 } });
  });

  it('writes what JSON.stringify writes, for values without null', () => {
    const value = fc.jsonValue({ stringUnit: 'binary' }).filter((json) => {
      const hasNull = (item: unknown): boolean =>
        item === null || (typeof item === 'object' && Object.values(item).some(hasNull));
      return !hasNull(json);
    });
    fc.assert(
      fc.property(value, (json) => {
        expect(stringifyJson(json)).toBe(JSON.stringify(json));
      }),
    );
  });

  it('refuses to write null, NaN and functions', () => {
    expect(() => stringifyJson({ a: [null] })).toThrow(TypeError);
    expect(() => stringifyJson({ a: Number.NaN })).toThrow(TypeError);
    expect(() => stringifyJson({ a: () => 1 })).toThrow(TypeError);
  });
});
