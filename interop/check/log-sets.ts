import assert from 'node:assert/strict';
import { join } from 'node:path';
import { bulkSenders } from '../client/bulk.ts';
import { otlpSenders } from '../client/otlp.ts';
import type { Sender } from '../client/sender.ts';
import type { CheckGroup, GroupChecks } from '../suite/check-list.ts';
import type { Installed } from '../suite/installation.ts';
import { type LogSet, madeSets, readSets } from '../suite/log-set.ts';
import { RunningNode } from '../suite/running-node.ts';
import { quote } from '../suite/sql-client.ts';
import { checkIceberg } from './iceberg.ts';

export interface LogSetOptions {
  readonly directory: string;
  /** Folder of LogHub sets, when there is one. */
  readonly logHubDirectory: string | undefined;
  readonly python: Installed<string>;
}

/** What one sender sent of one set. */
interface Sent {
  readonly sender: Sender;
  readonly set: LogSet;
}

const senders: readonly Sender[] = [...otlpSenders(), ...bulkSenders()];

/** Every set through every client into one node, read back by SQL and by PyIceberg, over restarts and a kill. */
export function logSetGroup(options: LogSetOptions): CheckGroup {
  return { name: 'log sets', run: (checks) => run(checks, options) };
}

async function run(checks: GroupChecks, options: LogSetOptions): Promise<void> {
  const directory = join(options.directory, 'log-sets');
  const sets = chooseSets(checks, options.logHubDirectory);
  const sent: Sent[] = [];
  {
    await using node = await RunningNode.start({ directory });
    for (const sender of senders) await sendAll(checks, { node, sender, sets, sent });
    await checkStored(checks, 'while the node runs', { node, sent });
    await checks.check('received = stored = sent on each listener', () => checkLedger(node, sent));
    await checks.check('the node ends with 0 on SIGTERM', async () => {
      assert.equal(await node.stop(), 0);
    });
  }
  {
    await using node = await RunningNode.start({ directory });
    await checkStored(checks, 'after a restart', { node, sent });
    const last = lastWords(sets);
    for (const sender of senders) await sendAll(checks, { node, sender, sets: [last], sent });
    await node.kill();
  }
  const settings = { 'storage.publish_interval_seconds': 1 };
  await using node = await RunningNode.start({ directory, settings });
  await checkStored(checks, 'after a kill -9', { node, sent });
  await checkIceberg(checks, { node, events: countOf(sent), python: options.python });
}

function chooseSets(checks: GroupChecks, logHubDirectory: string | undefined): readonly LogSet[] {
  if (logHubDirectory === undefined) {
    checks.skip('LogHub sets', 'LOGHUB_DIR is not set; the made sets are sent all the same');
    return madeSets();
  }
  const sets = readSets(logHubDirectory);
  if (sets.length === 0) throw new Error(`${logHubDirectory} holds no <name>/<name>_2k.log`);
  return [...sets, ...madeSets()];
}

/** A set whose events the kill finds in the log and nowhere else. */
function lastWords(sets: readonly LogSet[]): LogSet {
  const [first] = sets;
  assert.ok(first !== undefined);
  return { name: `${first.name}-before-kill`, lines: first.lines };
}

async function sendAll(
  checks: GroupChecks,
  parts: { node: RunningNode; sender: Sender; sets: readonly LogSet[]; sent: Sent[] },
): Promise<void> {
  const { node, sender, sets, sent } = parts;
  const lines = sets.reduce((sum, set) => sum + set.lines.length, 0);
  const what = sets.length === 1 ? sets[0]?.name : `${sets.length} sets`;
  await checks.check(`${sender.name} sends ${lines} lines of ${what}`, async () => {
    for (const set of sets) {
      sent.push({ sender, set });
      await sender.send(node.address(sender.listener), set);
    }
  });
}

async function checkStored(
  checks: GroupChecks,
  when: string,
  { node, sent }: { node: RunningNode; sent: readonly Sent[] },
): Promise<void> {
  await checks.check(`counts by service and source ${when}`, async () => {
    const rows = await node.sql.rows(
      `SELECT service, source, attributes['client'], count(*) FROM raw_events GROUP BY ALL`,
    );
    const expected = sent.map(({ sender, set }) => [
      set.name,
      sender.source,
      sender.name,
      set.lines.length,
    ]);
    const inOrder = (list: readonly (readonly unknown[])[]): string[] =>
      list.map((row) => row.join(' ')).toSorted();
    assert.deepEqual(inOrder(rows), inOrder(expected));
  });
  for (const sender of new Set(sent.map((each) => each.sender))) {
    await checks.check(`every line of ${sender.name} ${when}`, async () => {
      for (const each of sent) if (each.sender === sender) await checkLines(node, each);
    });
  }
}

async function checkLines(node: RunningNode, { sender, set }: Sent): Promise<void> {
  const rows = await node.sql.rows(
    `SELECT attributes['seq']::INT, body, host FROM raw_events
     WHERE service = ${quote(set.name)} AND attributes['client'] = ${quote(sender.name)} ORDER BY 1`,
  );
  for (const [seq, line] of set.lines.entries()) {
    const where = `line ${seq} of ${set.name} sent by ${sender.name}`;
    assert.deepEqual(rows[seq], [seq, line, 'interop-host'], where);
  }
  assert.equal(rows.length, set.lines.length, `rows of ${set.name} sent by ${sender.name}`);
}

async function checkLedger(node: RunningNode, sent: readonly Sent[]): Promise<void> {
  const { ingest } = await node.sql.health();
  for (const { name, received, stored, deduplicated, rejected } of ingest.listeners) {
    const lines = countOf(sent.filter(({ sender }) => sender.listener === name));
    assert.deepEqual(
      { name, received, stored, deduplicated, rejected },
      { name, received: lines, stored: lines, deduplicated: 0, rejected: 0 },
    );
  }
}

function countOf(sent: readonly Sent[]): number {
  return sent.reduce((sum, { set }) => sum + set.lines.length, 0);
}
