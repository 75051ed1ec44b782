import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { GroupChecks } from '../suite/check-list.ts';
import { outputOf } from '../suite/command.ts';
import type { Installed } from '../suite/installation.ts';
import type { RunningNode } from '../suite/running-node.ts';

const repository = join(import.meta.dirname, '../..');
const reader = join(repository, 'interop/iceberg/read_table.py');
const publishTimeoutMs = 90_000;

/** What `read_table.py` prints, as far as it is compared. */
interface Found {
  readonly rows: number;
  readonly services: Readonly<Record<string, number>>;
  readonly checksum: string;
}

interface WriterTestReport {
  readonly numPassedTests: number;
  readonly numTotalTests: number;
}

interface Row {
  readonly timestamp_text: string;
  readonly source: string | null;
  readonly service: string | null;
  readonly body: string | null;
  readonly idempotency_key: string | null;
  readonly attributes: Readonly<Record<string, string | null>> | null;
  readonly host: string | null;
  readonly env: string | null;
  readonly namespace: string | null;
  readonly tenant: string | null;
}

/** PyIceberg on the published table against SQL on the node: same counts, same rows in every column. */
export async function checkIceberg(
  checks: GroupChecks,
  { node, events, python }: { node: RunningNode; events: number; python: Installed<string> },
): Promise<void> {
  const isPublished = await checks.check('everything is published to the bucket', () =>
    waitForPublish(node, events),
  );
  const names = {
    rows: 'PyIceberg reads the same rows, all columns, as SQL does',
    own: 'PyIceberg passes the tests of the table writer',
  };
  if (!python.isInstalled || !isPublished) {
    const reason = python.isInstalled ? 'the table is not published' : python.reason;
    for (const name of Object.values(names)) checks.skip(name, reason);
    return;
  }
  await checks.check(names.rows, async () => {
    const { bucket } = (await node.sql.health()).storage;
    const table = join(fileURLToPath(bucket), 'varve', 'raw_events');
    const found = JSON.parse(await outputOf(python.value, [reader, table])) as Found;
    const { rows, services, checksum } = found;
    assert.deepEqual({ rows, services, checksum }, await expectedOf(node));
    assert.equal(rows, events);
  });
  await checks.check(names.own, () => runWriterTests(python.value, node.dataDir));
}

async function waitForPublish(node: RunningNode, events: number): Promise<void> {
  const deadlineMs = performance.now() + publishTimeoutMs;
  for (;;) {
    const { table } = (await node.sql.health()).storage;
    if (table.events === events) return;
    const state = `${table.events} of ${events} events`;
    assert.ok(performance.now() < deadlineMs, `only ${state} were published in time`);
    await delay(200);
  }
}

async function expectedOf(node: RunningNode): Promise<Found> {
  const services: Record<string, number> = {};
  let rows = 0;
  let checksum = 0n;
  const sql = 'SELECT timestamp_ns::VARCHAR AS timestamp_text, * FROM raw_events';
  for await (const row of node.sql.stream<Row>(sql)) {
    rows += 1;
    const service = row.service ?? '';
    services[service] = (services[service] ?? 0) + 1;
    checksum = BigInt.asUintN(64, checksum + hashOf(row));
  }
  return { rows, services, checksum: checksum.toString(16).padStart(16, '0') };
}

/** `row_hash` of `read_table.py`. */
function hashOf(row: Row): bigint {
  const { timestamp_text, source, service, body, idempotency_key, attributes } = row;
  const pairs = Object.entries(attributes ?? {}).toSorted(([a], [b]) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  );
  const values = [timestamp_text, source, service, body, idempotency_key];
  const dimensions = [row.host, row.env, row.namespace, row.tenant];
  const text = JSON.stringify([...values, attributes === null ? null : pairs, ...dimensions]);
  return createHash('sha256').update(text).digest().readBigUInt64BE();
}

/** They are skipped where no Python has PyIceberg; here one has. */
async function runWriterTests(python: string, directory: string): Promise<void> {
  const path = `${dirname(python)}${delimiter}${process.env['PATH'] ?? ''}`;
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs');
  const file = 'packages/server/test/iceberg/pyiceberg.test.ts';
  const reportPath = join(directory, 'writer-tests.json');
  const args = [vitest, 'run', '--reporter=json', `--outputFile=${reportPath}`, file];
  await outputOf(process.execPath, args, { cwd: repository, env: { ...process.env, PATH: path } });
  const report = JSON.parse(await readFile(reportPath, 'utf8')) as WriterTestReport;
  assert.equal(report.numPassedTests, report.numTotalTests);
  assert.ok(report.numPassedTests > 0, 'no test ran');
}
