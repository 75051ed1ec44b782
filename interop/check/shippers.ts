import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { rsyslog } from '../shipper/rsyslog.ts';
import type { Shipper } from '../shipper/shipper.ts';
import { syslogNg } from '../shipper/syslog-ng.ts';
import type { CheckGroup, GroupChecks } from '../suite/check-list.ts';
import { freePorts } from '../suite/listen-options.ts';
import { madeSets } from '../suite/log-set.ts';
import { RunningNode } from '../suite/running-node.ts';
import { quote } from '../suite/sql-client.ts';

const arrivalTimeoutMs = 60_000;
/** Long enough that a shipper has met the closed port. */
const outageMs = 3000;

/** Shippers of others that follow a file, with the node gone for a while in the middle. */
export function shipperGroups(directory: string): readonly CheckGroup[] {
  return [rsyslog, syslogNg].map((shipper) => ({
    name: shipper.name,
    async run(checks) {
      const installed = await shipper.install();
      if (installed.isInstalled) {
        await runShipper(checks, shipper, {
          root: installed.value,
          directory: join(directory, shipper.name),
        });
      } else checks.skip('sends the lines of a file', installed.reason);
    },
  }));
}

async function runShipper(
  checks: GroupChecks,
  shipper: Shipper,
  { root, directory }: { root: string; directory: string },
): Promise<void> {
  const [bulkPort = 0] = await freePorts(1);
  const options = { directory, settings: { 'ingest.bulk.listen': `127.0.0.1:${bulkPort}` } };
  mkdirSync(directory, { recursive: true });
  const inputPath = join(directory, 'input.log');
  const [plain = [], wide = []] = madeSets().map(({ lines }) => lines);
  append(inputPath, plain);
  const command = await shipper.configure(root, { directory, inputPath, bulkPort });
  const logPath = join(directory, 'shipper.log');
  let child: ChildProcess | undefined;
  try {
    {
      await using node = await RunningNode.start(options);
      child = launch(command, logPath);
      await checks.check(`sends ${plain.length} lines of a file`, () =>
        arrive(node, shipper, { lines: plain, logPath }),
      );
      await node.stop();
    }
    append(inputPath, wide);
    await delay(outageMs);
    await using node = await RunningNode.start(options);
    await checks.check(`sends ${wide.length} lines more, written while the node was gone`, () =>
      arrive(node, shipper, { lines: [...plain, ...wide], logPath }),
    );
    await checks.check('names host, service, level and id', () => checkFields(node, shipper));
  } finally {
    if (child !== undefined && child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
}

function append(path: string, lines: readonly string[]): void {
  appendFileSync(path, lines.map((line) => `${line}\n`).join(''));
}

function launch(
  { program, args, env }: Awaited<ReturnType<Shipper['configure']>>,
  logPath: string,
): ChildProcess {
  const log = openSync(logPath, 'w');
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  return child;
}

/** Waits until as many events as lines are there, and a little longer; then each line must be there once. */
async function arrive(
  node: RunningNode,
  shipper: Shipper,
  { lines, logPath }: { lines: readonly string[]; logPath: string },
): Promise<void> {
  const { source } = shipper;
  const deadlineMs = performance.now() + arrivalTimeoutMs;
  const count = (): Promise<unknown> =>
    node.sql.scalar(`SELECT count(*) FROM raw_events WHERE source = ${quote(source)}`);
  while (Number(await count()) < lines.length && performance.now() < deadlineMs) await delay(200);
  await delay(1000);
  const sql = `SELECT body FROM raw_events WHERE source = ${quote(source)}`;
  const bodies = (await node.sql.rows(sql)).map(([body]) => String(body));
  const log = existsSync(logPath) ? readFileSync(logPath, 'utf8').slice(-1000) : '';
  const missing = lines.find((line) => !bodies.includes(line));
  assert.equal(missing, undefined, `a line is missing; ${shipper.name} says: ${log}`);
  assert.equal(bodies.length, lines.length, 'a line came more than once');
}

async function checkFields(node: RunningNode, { source }: Shipper): Promise<void> {
  const rows = await node.sql.rows(
    `SELECT DISTINCT service, host IS NOT NULL, attributes['severity'] IS NOT NULL,
       starts_with(idempotency_key, ${quote(`bulk:${source}/`)})
     FROM raw_events WHERE source = ${quote(source)}`,
  );
  assert.deepEqual(rows, [['shop', true, true, true]]);
}
