import { describe, expect, it } from 'vitest';
import { parseLosslessJson, writeLosslessJson } from './lossless-json.ts';

describe('lossless JSON', () => {
  it('keeps 64-bit integers exact', () => {
    expect(parseLosslessJson('[1760000000123456789,-9223372036854775808]')).toEqual([
      1760000000123456789n,
      -9223372036854775808n,
    ]);
  });

  it('leaves other numbers and texts that look like integers alone', () => {
    const text = '{"a":12,"b":0.5,"c":1e300,"d":"1760000000123456789"}';
    expect(parseLosslessJson(text)).toEqual({ a: 12, b: 0.5, c: 1e300, d: '1760000000123456789' });
  });

  it('writes what it read', () => {
    const text = '{\n  "t": 1760000000123456789,\n  "a": [\n    "x",\n    null\n  ],\n  "e": {}\n}';
    expect(writeLosslessJson(parseLosslessJson(text))).toBe(text);
  });
});
