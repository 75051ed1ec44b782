import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goQuote } from '../../../test/fixture/loki-encode.ts';
import { LabelText } from './label-text.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const reader = new LabelText();

function read(text: string): [string, string][] {
  const pairs: [string, string][] = [];
  const bytes = encoder.encode(`[${text}]`);
  reader.read(bytes, 1, bytes.length - 1, {
    attribute(key, keyStart, keyEnd, value, valueStart, valueEnd) {
      const valueBytes = value.subarray(valueStart, valueEnd);
      if (!isUtf8(valueBytes)) throw new Error('not UTF-8');
      pairs.push([decoder.decode(key.subarray(keyStart, keyEnd)), decoder.decode(valueBytes)]);
    },
    attributeNull() {
      throw new Error('labels have no nulls');
    },
  });
  return pairs;
}

describe('the labels of a stream as text', () => {
  it.each<[string, [string, string][]]>([
    ['{}', []],
    [' { } ', []],
    ['{a="b"}', [['a', 'b']]],
    ['{a="b",}', [['a', 'b']]],
    [
      '{ a = "b" , __c_1="" }',
      [
        ['a', 'b'],
        ['__c_1', ''],
      ],
    ],
    ['{a="x, y=\\"z\\"}"}', [['a', 'x, y="z"}']]],
    ['{a=`raw \\n "q"`}', [['a', 'raw \\n "q"']]],
    ["{a='it\\'s'}", [['a', "it's"]]],
    ['{"service.name"="shop"}', [['service.name', 'shop']]],
    ['{a="\\a\\b\\f\\n\\r\\t\\v\\\\"}', [['a', '\x07\b\f\n\r\t\v\\']]],
    ['{a="\\x41\\101\\u00e9\\U0001F600"}', [['a', 'AAé😀']]],
    ['{a="\\xc3\\xa9"}', [['a', 'é']]],
    ['{a="\\xff"}', [['a', '\ufffd']]],
    ['{a="\\ud800\\U00110000"}', [['a', '\ufffd\ufffd']]],
    ['{k8s.pod/name="é"}', [['k8s.pod/name', 'é']]],
  ])('%s is read', (text, pairs) => {
    expect(read(text)).toEqual(pairs);
  });

  it.each([
    '',
    'a="b"',
    '{',
    '{a}',
    '{a=}',
    '{a=b}',
    '{="b"}',
    '{a="b"',
    '{a="b}',
    '{a=`b}',
    '{a="b" c="d"}',
    '{a="b",,}',
    '{,}',
    '{a!="b"}',
    '{a=~"b"}',
    '{a="\\q"}',
    '{a="\\x4"}',
    '{a="\\u00g0"}',
    '{a="\\"}',
    '{a="b"} x',
  ])('%s is refused', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'ingest_malformed_body' }));
  });

  it('gives back whatever was quoted', () => {
    const pair = fc.tuple(
      fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(pair), (pairs) => {
        const text = pairs.map(([name, value]) => `${name}=${goQuote(value)}`).join(',');
        expect(read(`{${text}}`)).toEqual(
          pairs.map(([name, value]) => [name, value.toWellFormed()]),
        );
      }),
    );
  });
});
