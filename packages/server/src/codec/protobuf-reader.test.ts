import fc from 'fast-check';
import { Writer } from 'protobufjs/minimal.js';
import { describe, expect, it } from 'vitest';
import {
  ProtobufReader,
  tagOf,
  wireBytes,
  wireFixed32,
  wireFixed64,
  wireVarint,
} from './protobuf-reader.ts';

function open(bytes: Uint8Array): ProtobufReader {
  const reader = new ProtobufReader({ maxDepth: 4 });
  reader.open(bytes);
  return reader;
}

const malformed = expect.objectContaining({ code: 'ingest_malformed_body' });
const textOf = (reader: ProtobufReader): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
    reader.text.subarray(reader.textStart, reader.textEnd),
  );
const valueOf = (reader: ProtobufReader): bigint =>
  (BigInt(reader.high) << 32n) | BigInt(reader.low >>> 0);

function drain(reader: ProtobufReader): void {
  while (reader.next());
}

describe('ProtobufReader', () => {
  it('reads every wire type that a writer makes', () => {
    const field = fc.record({
      number: fc.integer({ min: 1, max: 2 ** 29 - 1 }),
      value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      text: fc.string({ unit: 'binary', maxLength: 400 }),
      double: fc.double(),
    });
    fc.assert(
      fc.property(fc.array(field, { maxLength: 5 }), (fields) => {
        const writer = Writer.create();
        for (const { number, value, text, double } of fields) {
          writer.uint32(tagOf(number, wireVarint)).int64(String(value));
          writer.uint32(tagOf(number, wireFixed64)).sfixed64(String(value));
          writer.uint32(tagOf(number, wireFixed64)).double(double);
          writer.uint32(tagOf(number, wireFixed32)).sfixed32(Number(BigInt.asIntN(32, value)));
          writer.uint32(tagOf(number, wireBytes)).string(text);
        }
        const reader = open(writer.finish());
        for (const { number, value, text, double } of fields) {
          expect([reader.next(), reader.tag, valueOf(reader)]).toEqual([
            true,
            tagOf(number, wireVarint),
            value,
          ]);
          expect([reader.next(), reader.tag, valueOf(reader)]).toEqual([
            true,
            tagOf(number, wireFixed64),
            value,
          ]);
          expect([reader.next(), reader.double()]).toEqual([true, double]);
          expect([reader.next(), reader.tag, reader.low]).toEqual([
            true,
            tagOf(number, wireFixed32),
            Number(BigInt.asIntN(32, value)),
          ]);
          expect([reader.next(), reader.tag]).toEqual([true, tagOf(number, wireBytes)]);
          reader.readText();
          expect(textOf(reader)).toBe(text);
        }
        expect(reader.next()).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('replaces bytes that are no UTF-8 as TextDecoder does and keeps the others in place', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 20 }),
        fc.constantFrom('', 'x'.repeat(300)),
        (bytes, head) => {
          const text = Buffer.concat([Buffer.from(head), bytes]);
          const reader = open(Writer.create().uint32(tagOf(1, wireBytes)).bytes(text).finish());
          reader.next();
          reader.readText();
          expect(textOf(reader)).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(text));
          const isValid = Buffer.from(text.toString('utf8')).equals(text);
          expect(reader.isTextInput).toBe(isValid);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['a length beyond the message', [0x0a, 5, 1]],
    ['a length of more than 32 bits', [0x0a, 0x80, 0x80, 0x80, 0x80, 0x10, 1]],
    ['a missing length', [0x0a]],
    ['a cut varint', [0x08, 0x80]],
    ['a varint of eleven bytes', [0x08, ...new Array<number>(10).fill(0x80), 1]],
    ['a cut fixed64', [0x09, 1, 2, 3, 4, 5, 6, 7]],
    ['a cut fixed32', [0x0d, 1, 2, 3]],
    ['field number zero', [0x00, 0]],
    ['a tag of more than 32 bits', [0x88, 0x80, 0x80, 0x80, 0x10, 1]],
    ['the start of a group', [0x0b]],
    ['the end of a group', [0x0c]],
    ['an unknown wire type', [0x0f]],
  ])('refuses %s', (_, bytes) => {
    expect(() => drain(open(Uint8Array.from(bytes)))).toThrow(malformed);
  });

  it('confines a message to its span and returns to where it was', () => {
    const reader = open(Uint8Array.of(0x0a, 2, 0x08, 7, 0x10, 9));
    reader.next();
    reader.enter(reader.start, reader.end);
    expect([reader.next(), reader.low, reader.next()]).toEqual([true, 7, false]);
    reader.leave();
    expect([reader.next(), reader.low, reader.next()]).toEqual([true, 9, false]);
    // The inner length would fit the body, not its message.
    const crossing = open(Uint8Array.of(0x0a, 2, 0x0a, 2, 0x10, 9));
    crossing.next();
    crossing.enter(crossing.start, crossing.end);
    expect(() => crossing.next()).toThrow(malformed);
  });

  it('refuses messages nested beyond its depth', () => {
    const reader = open(new Uint8Array(8));
    for (let depth = 0; depth < 4; depth++) reader.enter(0, 8);
    expect(() => reader.enter(0, 8)).toThrow(malformed);
  });
});
