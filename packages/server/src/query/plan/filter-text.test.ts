import { describe, expect, test } from 'vitest';
import { parseScanFilters, type FilterColumn } from './filter-text.ts';

const columns: readonly FilterColumn[] = [
  { name: 'timestamp_ns', isInteger: true },
  { name: 'service', isInteger: false },
  { name: 'host', isInteger: false },
  { name: 'attributes', isInteger: false },
];

const predicates = (...lines: string[]): unknown => parseScanFilters(lines, columns).predicates;

describe('what it takes', () => {
  test('comparisons joined by AND, and several entries', () => {
    expect(predicates('timestamp_ns>=5 AND timestamp_ns<-7', "service='it''s'")).toEqual([
      { column: 'timestamp_ns', op: '>=', value: 5n },
      { column: 'timestamp_ns', op: '<', value: -7n },
      { column: 'service', op: '=', value: "it's" },
    ]);
  });

  test('membership, also when it is optional', () => {
    expect(predicates("optional: service IN ('a', 'b''c AND d')")).toEqual([
      { column: 'service', op: 'in', values: ['a', "b'c AND d"] },
    ]);
  });

  test('firm comparisons before an optional alternative', () => {
    expect(predicates('timestamp_ns>=5 AND optional: timestamp_ns<7 OR timestamp_ns=-9')).toEqual([
      { column: 'timestamp_ns', op: '>=', value: 5n },
    ]);
  });

  test('comparisons beside an enclosed expression it does not understand', () => {
    expect(predicates("host>'q' AND ((host = 'h1') OR (host IS NULL))")).toEqual([
      { column: 'host', op: '>', value: 'q' },
    ]);
  });
});

describe('what it leaves alone', () => {
  test.each([
    [['timestamp_ns=5 OR timestamp_ns=7']],
    [['timestamp_ns=5 OR timestamp_ns>7 AND timestamp_ns<9']],
    [['timestamp_ns=5 OR timestamp_ns=6 AND optional: timestamp_ns>4']],
    [['optional: Dynamic Filter (timestamp_ns)']],
    [['timestamp_ns!=5']],
    [["(map_extract_value(attributes, 'k') = 'v1')"]],
    [['CASE WHEN (x) THEN (y) ELSE z END AND timestamp_ns=5']],
    [['timestamp_ns=5.5']],
    [["timestamp_ns='5'"]],
    [['service=5']],
    [["service IN ('a', NULL)"]],
    [["service NOT IN ('a')"]],
    [['unknown=5']],
  ])('%j', (lines) => {
    expect(predicates(...lines)).toEqual([]);
  });

  test('text of a constant that looks like filters of its own', () => {
    expect(predicates("service='x' AND timestamp_ns<5'")).toEqual([]);
    expect(predicates("service='x'' AND timestamp_ns<5 AND host=''y'")).toEqual([
      { column: 'service', op: '=', value: "x' AND timestamp_ns<5 AND host='y" },
    ]);
    expect(predicates("service='x", 'timestamp_ns<5', "'")).toEqual([]);
    expect(predicates("service='x", "timestamp_ns<5'", 'timestamp_ns>9')).toEqual([
      { column: 'timestamp_ns', op: '>', value: 9n },
    ]);
  });
});

describe('columns', () => {
  test('counts every column the text names, but not inside constants', () => {
    expect([
      ...parseScanFilters(["(map_extract_value(attributes, 'host') = 'v1')"], columns).columns,
    ]).toEqual(['attributes']);
  });

  test('counts every column when the text breaks off', () => {
    expect(parseScanFilters(["service='"], columns).columns.size).toBe(columns.length);
  });
});
