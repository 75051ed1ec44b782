import { describe, expect, it } from 'vitest';
import { readProblem, readSqlAnswer } from './answer.ts';
import { apiBaseUrl } from './client.ts';
import { readEventRows } from './event-row.ts';
import { parseLosslessJson } from './lossless-json.ts';

const answer = (columns: string[], row: string): string =>
  JSON.stringify({
    columns: columns.map((name) => ({ name, type: 'VARCHAR' })),
    rows: [],
    row_count: 1,
    scan: { bound_bytes: 10, bound_seconds: 0.1, read_bytes: 5, files: 1, row_groups: 1 },
    elapsed_seconds: 0.01,
  }).replace('"rows":[]', `"rows":[${row}]`);

describe('answers of the node', () => {
  it('become events with exact times, sorted attributes and only the columns that hold something', () => {
    const text = answer(
      ['timestamp_ns', 'service', 'body', 'host', 'env', 'attributes'],
      '[1760000000123456789,"checkout","hello",null,"production",{"severity":"warn","a":"1"}]',
    );
    const [row] = readEventRows(readSqlAnswer(parseLosslessJson(text)));
    expect(row).toMatchObject({
      timestampNs: 1760000000123456789n,
      service: 'checkout',
      severity: 'WARN',
      body: 'hello',
      columns: [['env', 'production']],
      attributes: [
        ['a', '1'],
        ['severity', 'warn'],
      ],
    });
  });

  it('may lack columns, as a suggested query does', () => {
    const text = answer(['service'], '["checkout"]');
    const [row] = readEventRows(readSqlAnswer(parseLosslessJson(text)));
    expect(row).toMatchObject({ timestampNs: undefined, service: 'checkout', body: '' });
  });

  it('of another shape are an error that names the field', () => {
    expect(() => readSqlAnswer({ columns: [], rows: [] })).toThrow('scan');
  });

  it('that refuse a scan carry the bound and runnable suggestions', () => {
    const problem = readProblem(412, {
      title: 'Scan limit exceeded',
      code: 'scan_limit_exceeded',
      detail: 'narrow it',
      bound: { bytes: 200, seconds: 3 },
      limit: { bytes: 100 },
      suggestions: [{ sql: 'SELECT 1', description: 'the last hour' }, 'SELECT 2'],
    });
    expect(problem.scanLimit).toEqual({
      boundBytes: 200,
      boundSeconds: 3,
      limitBytes: 100,
      limitSeconds: undefined,
      suggestions: [
        { sql: 'SELECT 1', title: 'the last hour' },
        { sql: 'SELECT 2', title: 'Narrower query' },
      ],
    });
  });
});

describe('the address of the API', () => {
  it('is beside the console or above /console/, whatever a proxy puts before it', () => {
    expect(apiBaseUrl('http://a:18080/?q=x')).toBe('http://a:18080/');
    expect(apiBaseUrl('http://a:18080/console/?q=x')).toBe('http://a:18080/');
    expect(apiBaseUrl('https://a/logs/varve/console/index.html')).toBe('https://a/logs/varve/');
  });
});
