import { describe, expect, it } from 'vitest';
import { compileSearch, fieldTerm, sqlString } from './compile-search.ts';
import { SearchSyntaxError } from './search-node.ts';

const where = (search: string): string => {
  const { countSql } = compileSearch(search, undefined);
  return countSql
    .replace('SELECT count(*) AS matches\nFROM raw_events', '')
    .replace('\nWHERE ', '');
};

const failure = (search: string): SearchSyntaxError => {
  try {
    compileSearch(search, undefined);
  } catch (error) {
    if (error instanceof SearchSyntaxError) return error;
    throw error;
  }
  throw new Error(`${search} was understood`);
};

describe('a compiled search', () => {
  it('asks for the newest rows and the count over the same events', () => {
    const bounds = { fromNs: 1n, toNs: 1760000000123456789n };
    const { rowsSql, countSql } = compileSearch('service:checkout', bounds);
    const condition =
      "WHERE timestamp_ns >= 1\n  AND timestamp_ns < 1760000000123456789\n  AND service = 'checkout'";
    expect(countSql).toBe(`SELECT count(*) AS matches\nFROM raw_events\n${condition}`);
    expect(rowsSql).toContain(`${condition}\nORDER BY timestamp_ns DESC\nLIMIT 200`);
  });

  it('wants every word and phrase in the body', () => {
    expect(where('time "out of memory"')).toBe(
      "body ILIKE '%time%' ESCAPE '\\'\n  AND body ILIKE '%out of memory%' ESCAPE '\\'",
    );
  });

  it('takes a field for a column or else an attribute', () => {
    expect(where('host:a')).toBe("host = 'a'");
    expect(where('http.route:/api')).toBe("attributes['http.route'] = '/api'");
    expect(where('"my key":"a b"')).toBe("attributes['my key'] = 'a b'");
    expect(where('body:needle')).toBe("body ILIKE '%needle%' ESCAPE '\\'");
    expect(where('timestamp_ns:1760000000123456789')).toBe('timestamp_ns = 1760000000123456789');
  });

  it('keeps quotes, wildcards and escapes of the text literal', () => {
    expect(where(`service:o'brien`)).toBe("service = 'o''brien'");
    expect(where(`"it's"`)).toBe("body ILIKE '%it''s%' ESCAPE '\\'");
    expect(where('100%_\\')).toBe("body ILIKE '%100\\%\\_\\\\%' ESCAPE '\\'");
    expect(where(`"a']='":x`)).toBe(`attributes['a'']='''] = 'x'`);
  });

  it('reads wildcards, existence and comparisons', () => {
    expect(where('host:node-*')).toBe("host LIKE 'node-%' ESCAPE '\\'");
    expect(where('trace_id:*')).toBe("attributes['trace_id'] IS NOT NULL");
    expect(where('duration_ms:>=1.5')).toBe("TRY_CAST(attributes['duration_ms'] AS DOUBLE) >= 1.5");
    expect(where('timestamp_ns:<5')).toBe('timestamp_ns < 5');
  });

  it('combines with and, or, not and parentheses', () => {
    expect(where('env:a and (host:b or -host:c)')).toBe(
      "env = 'a'\n  AND (host = 'b' OR (host = 'c') IS NOT TRUE)",
    );
    expect(where('env:a or env:b env:c')).toBe("(env = 'a' OR (env = 'b' AND env = 'c'))");
    expect(where('service:(a or b)')).toBe("(service = 'a' OR service = 'b')");
  });

  it('takes an address and a time of day for words', () => {
    expect(where('http://a/b')).toBe("body ILIKE '%http://a/b%' ESCAPE '\\'");
    expect(where('12:30')).toBe("body ILIKE '%12:30%' ESCAPE '\\'");
  });

  it('points at the place it does not understand', () => {
    expect(failure('a "b').at).toBe(2);
    expect(failure('(a or b').at).toBe(0);
    expect(failure('a)').at).toBe(1);
    expect(failure('service:').at).toBe(8);
    expect(failure('a or').at).toBe(4);
    expect(failure('x duration_ms:>fast').at).toBe(2);
    expect(failure('timestamp_ns:yesterday').message).toContain('whole nanoseconds');
  });

  it('never lets a value end its literal', () => {
    for (const hostile of ["'", "''", "\\'", "'; DROP TABLE x; --", '\u0000', "%'_"]) {
      const literal = sqlString(hostile);
      expect(literal.slice(1, -1).replaceAll("''", '')).not.toContain("'");
    }
  });

  it('finds an event again by a term made from one of its fields', () => {
    for (const value of ['checkout', 'a b', '-x', 'say "hi"', 'C:\\temp', '*', 'a(b)', '>5']) {
      expect(where(fieldTerm('my key', value))).toBe(`attributes['my key'] = ${sqlString(value)}`);
    }
  });
});
