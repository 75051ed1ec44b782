import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import gelfPro from 'gelf-pro';
import type { CheckGroup, GroupChecks } from '../suite/check-list.ts';
import { outputOf, runCommand } from '../suite/command.ts';
import type { Installed } from '../suite/installation.ts';
import { RunningNode } from '../suite/running-node.ts';
import { quote } from '../suite/sql-client.ts';

const interop = join(import.meta.dirname, '..');
const lineCount = 200;
const arrivalTimeoutMs = 15_000;

type Transport = 'udp' | 'tcp' | 'http';

/** Short lines, and some that need many chunks even when they are compressed. */
const lines = Array.from({ length: lineCount }, (_, index) => {
  const long = Array.from({ length: 2000 }, (__, at) => (index * 7919 + at * 104_729) % 99_991);
  return index % 50 === 0 ? `${index} ${long.join(' ')}` : `${index} a "line" with ünïcode`;
});

/** GELF clients over every transport that they speak. */
export function gelfGroup(directory: string, python: Installed<string>): CheckGroup {
  return {
    name: 'gelf',
    async run(checks) {
      await using node = await RunningNode.start({ directory: join(directory, 'gelf') });
      for (const transport of ['udp', 'tcp'] as const) {
        await checks.check(`gelf-pro over ${transport}`, async () => {
          await sendWithGelfPro(node, transport);
          await expectLines(node, `gelf-pro-${transport}`);
        });
      }
      for (const transport of ['udp', 'tcp', 'http'] as const) {
        await checks.check(`pino-gelf over ${transport}`, () => checkPinoGelf(node, transport));
      }
      for (const transport of ['udp', 'tcp', 'http'] as const) {
        await checkGraypy(checks, { node, transport, python });
      }
      await checks.check('received = stored + rejected, nothing rejected', async () => {
        const { listeners } = (await node.sql.health()).ingest;
        for (const { name, received, stored } of listeners) {
          if (name.startsWith('gelf')) assert.equal(stored, received, name);
        }
      });
      await node.stop();
    },
  };
}

function portOf(node: RunningNode, transport: Transport): number {
  return Number(node.address(`gelf_${transport}`).split(':').at(-1));
}

async function sendWithGelfPro(node: RunningNode, transport: 'udp' | 'tcp'): Promise<void> {
  const client = gelfPro.setConfig({
    adapterName: transport,
    adapterOptions: { host: '127.0.0.1', port: portOf(node, transport) },
    fields: { service: `gelf-pro-${transport}` },
  });
  for (const line of lines) {
    await new Promise<void>((resolve, reject) => {
      // Syslog's warning.
      client.message(line, 4, {}, (error: unknown) =>
        error instanceof Error ? reject(error) : resolve(),
      );
    });
  }
}

/** Its chunks over UDP do not carry their data, so nothing is sent there that needs them. */
async function checkPinoGelf(node: RunningNode, transport: Transport): Promise<void> {
  const service = `pino-gelf-${transport}`;
  const sent = transport === 'udp' ? lines.filter((line) => line.length < 1000) : lines;
  const input = sent.map((msg, index) =>
    JSON.stringify({ level: 40, time: 1_767_323_045_000 + index, hostname: 'h', msg, service }),
  );
  const program = join(interop, 'node_modules/pino-gelf/index.js');
  const port = String(portOf(node, transport));
  const args = [program, 'log', '-h', '127.0.0.1', '-p', port, '-P', transport, '-k', 'false'];
  // Over TCP it never ends by itself.
  await runCommand(process.execPath, args, { input: `${input.join('\n')}\n`, timeoutMs: 5000 });
  await expectLines(node, service, sent);
}

async function checkGraypy(
  checks: GroupChecks,
  rig: { node: RunningNode; transport: Transport; python: Installed<string> },
): Promise<void> {
  const { node, transport, python } = rig;
  const name = `graypy over ${transport}`;
  if (!python.isInstalled) {
    checks.skip(name, python.reason);
    return;
  }
  await checks.check(name, async () => {
    const service = `graypy-${transport}`;
    const script = join(interop, 'gelf/send_graypy.py');
    const args = [script, transport, String(portOf(node, transport)), service];
    await outputOf(python.value, args, { input: `${lines.join('\n')}\n`, timeoutMs: 30_000 });
    await expectLines(node, service);
  });
}

/** Every line once, with its level and host. UDP keeps order and loses nothing on one machine at this rate. */
async function expectLines(
  node: RunningNode,
  service: string,
  sent: readonly string[] = lines,
): Promise<void> {
  const where = `WHERE service = ${quote(service)}`;
  const count = `SELECT count(*) FROM raw_events ${where}`;
  for (let waitedMs = 0; waitedMs < arrivalTimeoutMs; waitedMs += 200) {
    if (Number(await node.sql.scalar(count)) >= sent.length) break;
    await delay(200);
  }
  const rows = await node.sql.rows(
    `SELECT body, attributes['severity'], host IS NOT NULL FROM raw_events ${where}`,
  );
  assert.deepEqual(rows.map(([body]) => String(body)).toSorted(), sent.toSorted());
  for (const [, severity, hasHost] of rows) assert.deepEqual([severity, hasHost], ['WARN', true]);
}
