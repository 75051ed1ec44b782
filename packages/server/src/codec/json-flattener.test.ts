import { describe, expect, it } from 'vitest';
import { JsonCursor } from './json-cursor.ts';
import { JsonFlattener } from './json-flattener.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

function flatten(text: string): [string, string | null][] {
  const leaves: [string, string | null][] = [];
  const cursor = new JsonCursor();
  cursor.open(encoder.encode(text));
  new JsonFlattener(cursor).object({
    attribute(key, keyStart, keyEnd, value, valueStart, valueEnd) {
      leaves.push([
        decoder.decode(key.subarray(keyStart, keyEnd)),
        decoder.decode(value.subarray(valueStart, valueEnd)),
      ]);
    },
    attributeNull(key, keyStart, keyEnd) {
      leaves.push([decoder.decode(key.subarray(keyStart, keyEnd)), null]);
    },
  });
  cursor.expectEnd();
  return leaves;
}

describe('JsonFlattener', () => {
  it('joins nested names and writes every kind of value as text', () => {
    expect(
      flatten(
        '{"s":"é\\n","n":1.50,"t":true,"f":false,"z":null,"o":{"a":{"b":"x","c":[]},"e":{},"d":null},"l":[1, {"k": "v"}],"s":"again"}',
      ),
    ).toEqual([
      ['s', 'é\n'],
      ['n', '1.50'],
      ['t', 'true'],
      ['f', 'false'],
      ['z', null],
      ['o.a.b', 'x'],
      ['o.a.c', '[]'],
      ['o.e', '{}'],
      ['o.d', null],
      ['l', '[1,{"k":"v"}]'],
      ['s', 'again'],
    ]);
  });

  it('keeps names and values apart when both are escaped', () => {
    expect(flatten('{"a\\n":"b\\n","c\\t":{"d\\t":"e\\t","f":{"g\\"":"h"}},"i":"j"}')).toEqual([
      ['a\n', 'b\n'],
      ['c\t.d\t', 'e\t'],
      ['c\t.f.g"', 'h'],
      ['i', 'j'],
    ]);
  });

  it('refuses nested names that join to more than the bound, whatever the body limit', () => {
    const long = 'k'.repeat(5000);
    expect(flatten(`{"${long}":{"a":1}}`)).toHaveLength(1);
    expect(() => flatten(`{"${long}":{"${long}":1}}`)).toThrow(
      expect.objectContaining({ code: 'ingest_malformed_body' }),
    );
  });
});
