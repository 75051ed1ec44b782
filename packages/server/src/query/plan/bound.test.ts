import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EventFiles } from '../testing/event-files.ts';
import type { TestFile } from '../testing/parquet-fixture.ts';
import { QueryFixture, signalBytes } from '../testing/query-fixture.ts';

let fixture: QueryFixture;
let files: Readonly<Record<string, TestFile>>;

const firstNs = 1_700_000_000_000_000_000n;
const noise = (seed: number, length: number): string => {
  let text = '';
  for (let i = 0; text.length < length; i += 1) {
    text += createHash('sha512').update(`${seed} ${i}`).digest('base64');
  }
  return text.slice(0, length);
};

/** Every shape a node writes, and what makes pages and chunks large, small, many or few. */
beforeAll(async () => {
  fixture = await QueryFixture.open();
  const write = new EventFiles(fixture.parquet);
  const twoGroups = await write.seal(125_000, (row) => ({
    timeNs: firstNs + BigInt(row) * 1000n,
    body: `request ${row * 7919} took ${row % 977} ms`,
    service: `service ${row % 7}`,
    attributes: row % 50 === 0 ? { k: `v${row % 5}`, 'host.name': `host ${row % 11}` } : {},
  }));
  const tiny = await write.seal(24, (row) => ({ timeNs: firstNs, body: `line ${row}` }));
  const one = await write.seal(1, () => ({ timeNs: 0n, body: 'x' }));
  const long = await write.seal(6, (row) => ({ timeNs: firstNs, body: noise(row, 1_200_000) }));
  const squeezed = await write.seal(12, (row) => ({
    timeNs: firstNs,
    body: 'a'.repeat(1_100_000 + row),
  }));
  const wide = await write.seal(600, (row) => ({
    timeNs: firstNs + BigInt(row),
    service: noise(row, 20),
    attributes: {
      'host.name': noise(row, 60),
      'deployment.environment': noise(row, 8),
      ...Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`key ${i}`, noise(row + i, 9)])),
    },
  }));
  const empty = await write.seal(30_000, () => ({ timeNs: 5n }));
  const merged = await write.merge([twoGroups, tiny, wide, empty]);
  const mergedLong = await write.merge([long, one]);
  const mergedTiny = await write.merge([tiny, one]);
  files = { twoGroups, tiny, one, long, squeezed, wide, empty, merged, mergedLong, mergedTiny };
}, 60_000);

afterAll(() => fixture.close());

const columnSets: readonly (readonly string[])[] = [
  ['timestamp_ns'],
  ['body'],
  ['attributes'],
  ['timestamp_ns', 'tenant'],
  ['timestamp_ns', 'host', 'tenant'],
  ['source', 'env', 'namespace'],
  ['service', 'body', 'attributes', 'env'],
  ['timestamp_ns', 'service', 'body', 'attributes', 'host', 'tenant'],
];
const allColumns =
  'timestamp_ns, source, service, body, idempotency_key, attributes, host, env, namespace, tenant';

const aggregate = (columns: readonly string[]): string =>
  `SELECT ${columns.map((column) => `max(${column})`).join(', ')} FROM raw_events`;

describe('a scan without filters', () => {
  test('reads at first exactly the bound, and later what the footers are less', async () => {
    for (const [name, file] of Object.entries(files)) {
      const columnBytes = file.stats.columns.reduce(
        (sum, { compressedBytes }) => sum + compressedBytes,
        0,
      );
      const otherBytes = file.stats.sizeBytes - columnBytes;
      const footerBytes = Math.min(16_384, file.stats.sizeBytes);
      const longFooterBytes = otherBytes > footerBytes ? otherBytes : 0;
      const first = await fixture.measure(aggregate(allColumns.split(', ')), [file]);
      const firstExcess = first.readBytes - first.boundBytes;
      expect(firstExcess, name).toBeGreaterThanOrEqual(-longFooterBytes);
      expect(firstExcess, name).toBeLessThan(signalBytes);
      for (const columns of columnSets) {
        const { boundBytes, readBytes } = await fixture.measure(aggregate(columns), [file]);
        const excess = readBytes - (boundBytes - footerBytes - longFooterBytes);
        expect(excess, `${name} ${columns.join()}`).toBeGreaterThanOrEqual(0);
        expect(excess, `${name} ${columns.join()}`).toBeLessThan(signalBytes);
      }
    }
  });

  test('keeps to the bound where only a manifest is known', async () => {
    for (const [name, { path, stats }] of Object.entries(files)) {
      const file = { path, stats: { ...stats, rowGroups: [] } };
      for (const columns of [...columnSets, allColumns.split(', ')]) {
        const { boundBytes, readBytes } = await fixture.measure(aggregate(columns), [file]);
        expect(readBytes, `${name} ${columns.join()}`).toBeLessThanOrEqual(
          boundBytes + signalBytes,
        );
      }
    }
  });

  test('keeps to the bound, and answers in full, where a manifest does not tell of columns', async () => {
    const { path, stats } = files['twoGroups'] ?? { path: '', stats: undefined };
    if (stats === undefined) throw new Error('the file is missing');
    const file = { path, stats: { ...stats, rowGroups: [], columns: stats.columns.slice(0, 1) } };
    const sql = "SELECT max(body), count(*) FROM raw_events WHERE service = 'service 3'";
    const { lines, boundBytes, readBytes } = await fixture.measure(sql, [file]);
    expect(lines[0]).toContain('17857');
    expect(readBytes).toBeLessThanOrEqual(boundBytes + signalBytes);
  });
});

test('stays within the bound in plans that read a file in parts or twice', async () => {
  const { long: _long, squeezed: _squeezed, mergedLong: _merged, ...rest } = files;
  const all = Object.values(rest);
  for (const sql of [
    'SELECT * FROM raw_events LIMIT 10',
    'SELECT * FROM raw_events ORDER BY body LIMIT 5',
    "SELECT * FROM raw_events WHERE service > 'service 3' ORDER BY timestamp_ns DESC LIMIT 5",
    'SELECT body FROM raw_events ORDER BY timestamp_ns LIMIT 7 OFFSET 3',
    `SELECT attributes FROM raw_events WHERE timestamp_ns = ${firstNs + 1000n}`,
    `SELECT count(*) FROM raw_events WHERE timestamp_ns > ${firstNs + 124_000_000n} AND body LIKE '%9%'`,
    "SELECT host, count(*) FROM raw_events WHERE attributes['k'] = 'v3' GROUP BY 1",
    'SELECT count(*) FROM raw_events a JOIN raw_events b USING (timestamp_ns, tenant) WHERE a.timestamp_ns > 1699999999999999999',
    'SELECT max(body) FROM (SELECT body FROM raw_events USING SAMPLE 100)',
  ]) {
    for (const list of [all, ...all.map((file) => [file])]) {
      const { boundBytes, readBytes } = await fixture.measure(sql, list);
      expect(readBytes, sql).toBeLessThanOrEqual(boundBytes + signalBytes);
    }
  }
}, 60_000);

test('counts little more than a small file holds', async () => {
  const tiny = files['tiny'];
  if (tiny === undefined) throw new Error('the file is missing');
  const list = Array.from({ length: 50 }, () => tiny).map((file, i) => ({
    ...file,
    path: `${file.path}.${i}`,
  }));
  const catalogBound = await fixture.bound('SELECT body FROM raw_events', list);
  expect(catalogBound.bytes).toBeLessThanOrEqual(50 * (tiny.stats.sizeBytes + 200));
});
