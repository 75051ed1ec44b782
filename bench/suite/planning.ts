import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sized, type BenchContext } from '../context.ts';
import { NodeProcess } from '../node/node-process.ts';
import { rounded } from '../result.ts';
import { median, percentile } from '../statistics.ts';
import { writeManyFiles, type ManyFiles } from '../table/many-files.ts';

const seed = 20_260_805;
const eventsPerFile = 24;

/** Planning and bounding over a table of many files, as `explain` answers it: no data is read. */
export async function benchPlanning(context: BenchContext): Promise<void> {
  const files = sized(context, { full: 10_000, quick: 1000 });
  const rows = ['whole', 'narrow'].filter((name) =>
    context.wants(`planning.files_${files}.${name}`),
  );
  if (rows.length === 0) return;
  context.note(`planning: a table of ${files} files`);
  const directory = context.directory('planning');
  try {
    const bucket = join(directory, 'data', 'bucket');
    const table = await writeManyFiles(bucket, { files, eventsPerFile, seed });
    await using node = await NodeProcess.start({ directory });
    const events = await node.sql.scalar('SELECT count(*) FROM raw_events');
    if (events !== table.events)
      throw new Error(`the node sees ${events} of ${table.events} events`);
    for (const row of rows) await benchExplain(context, { node, table }, row);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function benchExplain(
  context: BenchContext,
  { node, table }: { node: NodeProcess; table: ManyFiles },
  row: string,
): Promise<void> {
  const condition = row === 'narrow' ? ` AND ${lastHour(table)}` : '';
  const runs = sized(context, { full: 50, quick: 10 });
  const times: number[] = [];
  for (let run = 0; run < runs + 2; run++) {
    // Another text each time: a plan that was kept is none that was made.
    const where = `WHERE body LIKE '%shard ${run}%'${condition}`;
    const sql = `SELECT service, count(*) FROM raw_events ${where} GROUP BY service`;
    times.push(await node.sql.time({ sql, explain: true }));
  }
  const warm = times.slice(2);
  context.report({
    name: `planning.files_${table.files}.${row}`,
    value: rounded(median(warm)),
    unit: 'ms',
    ...(table.files === 10_000 && { target: { at_most: 50 } }),
    details: {
      runs,
      p99_ms: rounded(percentile(warm, 0.99)),
      first_ms: rounded(times[0] ?? NaN),
      node_start_seconds: rounded(node.startMs / 1000),
    },
  });
}

function lastHour({ firstMs, files, stepMs }: ManyFiles): string {
  const lastMs = firstMs + files * stepMs;
  return `timestamp_ns >= ${BigInt(lastMs - 3_600_000) * 1_000_000n}`;
}
