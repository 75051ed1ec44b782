import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareConstants, mayMatch, type Predicate } from './predicate.ts';

test('orders strings as their UTF-8 bytes', () => {
  const anyString = fc.string({
    unit: fc.constantFrom('a', 'é', '\u07ff', '\ue000', '\uffff', '😀', '\u{10ffff}', '\ud7ff'),
  });
  fc.assert(
    fc.property(anyString, anyString, (a, b) => {
      expect(Math.sign(compareConstants(a, b) ?? 9)).toBe(
        Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
    }),
  );
});

test('never rules out a range that holds a matching value', () => {
  const value = fc.bigInt({ min: -20n, max: 20n });
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1 }),
      fc.constantFrom('=', '<', '<=', '>', '>='),
      value,
      (values, op, constant) => {
        const predicate: Predicate = { column: 'c', op: op as '=', value: constant };
        const sorted = values.toSorted((a, b) => Number(a - b));
        const [min] = sorted;
        const max = sorted.at(-1);
        const matches = {
          '=': (v: bigint) => v === constant,
          '<': (v: bigint) => v < constant,
          '<=': (v: bigint) => v <= constant,
          '>': (v: bigint) => v > constant,
          '>=': (v: bigint) => v >= constant,
        };
        const some = values.some(matches[op as '=']);
        const range = {
          values: values.length,
          nulls: 0,
          ...(min === undefined ? {} : { min }),
          ...(max === undefined ? {} : { max }),
        };
        if (some) expect(mayMatch(predicate, range)).toBe(true);
        if (!some && op !== '=') expect(mayMatch(predicate, range)).toBe(false);
      },
    ),
  );
});

test('answers yes where statistics are missing, and no where all is null', () => {
  const predicate: Predicate = { column: 'c', op: '=', value: 'x' };
  expect(mayMatch(predicate, { values: 3 })).toBe(true);
  expect(mayMatch(predicate, { values: 3, nulls: 2 })).toBe(true);
  expect(mayMatch(predicate, { values: 3, nulls: 3 })).toBe(false);
  expect(mayMatch(predicate, { values: 3, min: 1n, max: 2n })).toBe(true);
});
