import fc from 'fast-check';
import { expect, it } from 'vitest';
import { timeoutMsOf } from './deadline.ts';
import { trailersOf } from './status.ts';
import { encodeFrame, UnaryFrame } from './unary-frame.ts';

it('puts a message together however it was cut', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.array(fc.nat({ max: 40 })), (message, cuts) => {
      const admitted: number[] = [];
      const frame = new UnaryFrame((bytes) => admitted.push(bytes));
      let rest: Uint8Array = encodeFrame(message);
      for (const cut of cuts) {
        frame.push(rest.subarray(0, cut));
        rest = rest.subarray(cut);
      }
      frame.push(rest);
      expect(frame.finish()).toEqual({ isCompressed: false, message });
      expect(admitted).toEqual([message.length]);
    }),
  );
});

it('takes no memory for a message that is refused', () => {
  const frame = new UnaryFrame(() => {
    throw new RangeError('refused');
  });
  expect(() => frame.push(Buffer.from([0, 255, 255, 255, 255]))).toThrow('refused');
});

it.each([
  ['1H', 3_600_000],
  ['2M', 120_000],
  ['10S', 10_000],
  ['99999999m', 99_999_999],
  ['500u', 0.5],
  ['1000000n', 1],
  ['', Infinity],
  ['10', Infinity],
  ['-1S', Infinity],
  ['123456789S', Infinity],
  ['1x', Infinity],
])('reads a timeout of %s', (header, timeoutMs) => {
  expect(timeoutMsOf(header)).toBe(timeoutMs);
});

it('encodes a message for a header', () => {
  expect(trailersOf({ code: 3, message: '100 % of\nZoë' })).toEqual({
    'grpc-status': '3',
    'grpc-message': '100 %25 of%0AZo%C3%AB',
  });
});
