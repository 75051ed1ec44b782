import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeError } from '../base/errors.ts';
import { JsonCursor } from './json-cursor.ts';
import { jsonArray, jsonEnd, jsonNull, jsonNumber, jsonObject, jsonString } from './json-kind.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function open(text: string | Uint8Array): JsonCursor {
  const cursor = new JsonCursor();
  cursor.open(typeof text === 'string' ? encoder.encode(text) : text);
  return cursor;
}

const textOf = (cursor: JsonCursor): string =>
  decoder.decode(cursor.text.subarray(cursor.textStart, cursor.textEnd));

/** Rebuilds the value from the cursor's answers. */
function read(cursor: JsonCursor): unknown {
  const kind = cursor.peek();
  if (kind === jsonObject) {
    const members: [string, unknown][] = [];
    cursor.enterObject();
    while (cursor.nextKey()) members.push([textOf(cursor), read(cursor)]);
    return Object.fromEntries(members);
  }
  if (kind === jsonArray) {
    const elements: unknown[] = [];
    cursor.enterArray();
    while (cursor.nextElement()) elements.push(read(cursor));
    return elements;
  }
  cursor.readScalar();
  const text = textOf(cursor);
  if (kind === jsonString) return text;
  if (kind === jsonNumber) return Number(text);
  return kind === jsonNull ? null : text === 'true';
}

function readAll(text: string | Uint8Array): unknown {
  const cursor = open(text);
  const value = read(cursor);
  cursor.expectEnd();
  return value;
}

function failure(run: () => unknown): NodeError {
  try {
    run();
  } catch (error) {
    if (error instanceof NodeError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** JSON.parse keeps lone surrogates, which have no UTF-8 form. */
const wellFormed = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, '\ufffd'));

describe('JsonCursor', () => {
  it('reads what JSON.parse reads, however it is spaced and escaped', () => {
    const escapeAll = (text: string): string =>
      text.replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'binary' }),
        fc.constantFrom('', ' ', '\n\t'),
        fc.boolean(),
        (value, space, isEscaped) => {
          const plain = JSON.stringify(value, undefined, space);
          const text = isEscaped ? escapeAll(plain) : plain;
          expect(readAll(text)).toEqual(wellFormed(JSON.parse(text)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('accepts and refuses what JSON.parse accepts and refuses', () => {
    const alphabet = [
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '-',
      '0',
      '1',
      '.',
      'e',
      '+',
      ' ',
      '\\',
      'u',
      'true',
      'null',
      '"a"',
      '\n',
      '\0',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...alphabet), { maxLength: 12 }), (tokens) => {
        const text = tokens.join('');
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(failure(() => readAll(text)).code).toBe('ingest_malformed_body');
          return;
        }
        expect(readAll(text)).toEqual(expected);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['"\\ud83d\\ude00"', '😀'],
    ['"a\\ud83d"', 'a\ufffd'],
    ['"\\ude00b"', '\ufffdb'],
    ['"\\ud83d\\u0041"', '\ufffdA'],
    ['"\\ud83d\\ud83d\\ude00"', '\ufffd😀'],
    ['"\\ud83d\\n"', '\ufffd\n'],
    ['"\\u0000\\/\\b\\f\\r\\t\\"\\\\"', '\0/\b\f\r\t"\\'],
  ])('unescapes %s', (text, expected) => {
    expect(readAll(text)).toBe(expected);
  });

  it.each([
    ['', 0],
    ['{"a":1', 6],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['"abc', 4],
    ['"a\nb"', 2],
    ['"\\x"', 2],
    ['"\\u12g4"', 5],
    ['01', 1],
    ['-', 1],
    ['1.', 2],
    ['1e+', 3],
    ['nul', 3],
    ['trux', 3],
    ['\u00a01', 0],
  ])('names the offset where %j stops being JSON', (text, offset) => {
    const error = failure(() => readAll(text));
    expect(error).toMatchObject({ code: 'ingest_malformed_body', details: { offset } });
  });

  it('names the offset of the first byte that is not UTF-8', () => {
    const long = encoder.encode(`"${'aé€😀'.repeat(2000)}"`);
    for (const at of [0, 1, 4095, 4096, 4097, 9000, long.length - 1]) {
      const body = long.slice();
      body[at] = 0xff;
      const error = failure(() => open(body));
      expect(error.code).toBe('ingest_malformed_body');
      const offset = Number(error.details['offset']);
      expect(offset).toBeLessThanOrEqual(at);
      expect(offset).toBeGreaterThan(at - 4);
    }
  });

  it('skips a byte order mark and tells the end from a value', () => {
    const cursor = open('\ufeff 1 ');
    expect(cursor.peek()).toBe(jsonNumber);
    cursor.readScalar();
    expect(cursor.peek()).toBe(jsonEnd);
  });

  it('stays inside the span it was sent to', () => {
    const lines = '{"a":"x"}\n{"a":"y"}';
    const cursor = open(lines);
    cursor.seek(10, 19);
    expect(read(cursor)).toEqual({ a: 'y' });
    for (let end = 0; end < 9; end++) {
      cursor.seek(0, end);
      expect(failure(() => read(cursor)).code).toBe('ingest_malformed_body');
    }
  });

  it('reads values that follow one another without a delimiter', () => {
    const cursor = open('{"a":1}{"a":2} [3]');
    const values: unknown[] = [];
    while (cursor.peek() !== jsonEnd) values.push(read(cursor));
    expect(values).toEqual([{ a: 1 }, { a: 2 }, [3]]);
  });

  it('refuses values nested too deep instead of running out of stack', () => {
    expect(readAll('['.repeat(128) + ']'.repeat(128))).toBeDefined();
    expect(failure(() => readAll('['.repeat(129) + ']'.repeat(129))).code).toBe(
      'ingest_malformed_body',
    );
    expect(failure(() => open('{"a":'.repeat(1e6)).skip()).code).toBe('ingest_malformed_body');
  });

  it('copies a value without the space between its tokens and nothing else', () => {
    const cursor = open('[ 1.0 , 12345678901234567890,"a \\" \\u0041 b\\\\" ,{ "k" : [ ] } ]');
    expect(cursor.readCompact()).toBe(jsonArray);
    expect(textOf(cursor)).toBe('[1.0,12345678901234567890,"a \\" \\u0041 b\\\\",{"k":[]}]');
    cursor.expectEnd();
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', '\r\n'), (value, space) => {
        const compact = open(JSON.stringify(value, undefined, space));
        compact.readCompact();
        expect(textOf(compact)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('goes back to a value it has passed', () => {
    const cursor = open('{"later":[1],"first":2}');
    cursor.enterObject();
    cursor.nextKey();
    const later = cursor.position;
    cursor.skip();
    cursor.nextKey();
    expect(read(cursor)).toBe(2);
    const behind = cursor.position;
    cursor.revisit(later);
    expect(read(cursor)).toEqual([1]);
    cursor.revisit(behind);
    expect(cursor.nextKey()).toBe(false);
    cursor.expectEnd();
  });

  it('passes expected bytes and plain strings, and nothing else', () => {
    const expected = encoder.encode('{"k":"');
    const passes = (text: string): boolean => {
      const cursor = open(text);
      return cursor.passExact(expected) && cursor.passPlainText();
    };
    for (const text of ['{"k":"v"}', '{"k":""']) expect(passes(text)).toBe(true);
    for (const text of [
      '',
      '{"k":',
      '{"K":"v"}',
      '{ "k":"v"}',
      '{"k":"v',
      '{"k":"\\n"}',
      '{"k":"\n"}',
    ]) {
      expect(passes(text)).toBe(false);
    }
    const cursor = open('{"k":"v"}');
    cursor.seek(0, 7);
    expect([cursor.passExact(expected), cursor.passPlainText()]).toEqual([true, false]);
  });
});
