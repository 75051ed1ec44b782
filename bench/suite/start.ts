import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sized, type BenchContext } from '../context.ts';
import { LoadGenerator } from '../load/generator.ts';
import { NodeProcess } from '../node/node-process.ts';
import { rounded } from '../result.ts';
import { median } from '../statistics.ts';

const mib = 1024 * 1024;
const seed = 20_260_803;

/** From the start of the process until the node says that it is ready. */
export async function benchStart(context: BenchContext): Promise<void> {
  if (context.wants('start.empty')) await benchEmptyStart(context);
  const sizes = sized(context, { full: [256, 1024], quick: [256] });
  for (const walMib of sizes) {
    if (context.wants(`start.wal_${walMib}_mib`)) await benchReplay(context, walMib);
  }
}

async function benchEmptyStart(context: BenchContext): Promise<void> {
  const tries = sized(context, { full: 5, quick: 2 });
  const seconds: number[] = [];
  for (let index = 0; index < tries; index++) {
    const directory = context.directory('start-empty');
    {
      await using node = await NodeProcess.start({ directory });
      seconds.push(node.startMs / 1000);
    }
    await rm(directory, { recursive: true });
  }
  context.report({
    name: 'start.empty',
    value: rounded(median(seconds)),
    unit: 's',
    target: { at_most: 2 },
    details: { tries },
  });
}

async function benchReplay(context: BenchContext, walMib: number): Promise<void> {
  context.note(`start: with ${walMib} MiB of log`);
  const directory = context.directory(`start-wal-${walMib}`);
  try {
    const acknowledged = await leaveLog(directory, walMib * mib);
    const walBytes = directoryBytes(join(directory, 'data', 'wal'));
    await using node = await NodeProcess.start({ directory });
    const stored = await node.sql.scalar('SELECT count(*) FROM raw_events');
    if (stored < acknowledged) throw new Error(`${acknowledged - stored} events are lost`);
    context.report({
      name: `start.wal_${walMib}_mib`,
      value: rounded(node.startMs / 1000),
      unit: 's',
      ...(walMib === 1024 && { target: { at_most: 15 } }),
      details: { wal_mib: rounded(walBytes / mib), events: stored },
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Lets a node log events until the log has this size, and kills it. A file in place of the directory for sealed
 * files keeps the node from sealing, as a full disk would; it is gone before the next start.
 */
async function leaveLog(directory: string, walBytes: number): Promise<number> {
  await using generator = await LoadGenerator.open({
    protocol: 'otlp_protobuf',
    seed,
    requests: 64,
    eventsPerRequest: 1000,
  });
  await using node = await NodeProcess.start({ directory, config: { 'log.level': 'fatal' } });
  const sealed = join(node.dataDir, 'sealed');
  const aside = `${sealed}-aside`;
  renameSync(sealed, aside);
  writeFileSync(sealed, '');
  let acknowledged = 0;
  const wal = join(node.dataDir, 'wal');
  const stepBytes = 16 * mib;
  for (let bytes = 0; bytes < walBytes; bytes = directoryBytes(wal)) {
    const perEvent = acknowledged === 0 ? 500 : bytes / acknowledged;
    const events = Math.ceil(Math.max(stepBytes, (walBytes - bytes) * 0.9) / perEvent);
    const address = node.address('otlp_http');
    const outcome = await generator.run({ address, connections: 8, events });
    acknowledged += outcome.acknowledgedEvents;
  }
  await node.kill();
  rmSync(sealed);
  renameSync(aside, sealed);
  return acknowledged;
}

function directoryBytes(path: string): number {
  return readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}
