/**
 * Measures a real node and prints one JSON line for each row to stdout; progress goes to stderr.
 * See docs/performance.md for what each row means.
 */
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createContext, type BenchContext } from './context.ts';
import { describeMachine, formatSummary, type Measurement, type Result } from './result.ts';
import { benchIngest } from './suite/ingest.ts';
import { benchPlanning } from './suite/planning.ts';
import { benchSql } from './suite/sql.ts';
import { benchStart } from './suite/start.ts';
import { benchStorage } from './suite/storage.ts';

const usage = `usage: npm run bench -- [--quick] [--only NAME]… [--directory DIR]

  --quick          small sizes, under 90 seconds in all: shows breakage, not speed
  --only NAME      only rows whose name begins with NAME, such as ingest.bulk; may be repeated
  --directory DIR  where the nodes keep their data, on the disk to be measured; removed at the end
`;

const suites: readonly { name: string; run: (context: BenchContext) => Promise<void> }[] = [
  { name: 'ingest', run: benchIngest },
  { name: 'storage', run: benchStorage },
  { name: 'start', run: benchStart },
  { name: 'sql', run: benchSql },
  { name: 'planning', run: benchPlanning },
];

async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      directory: { type: 'string', default: join(import.meta.dirname, 'results') },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stderr.write(usage);
    return 0;
  }
  const root = join(values.directory, `run-${process.pid}`);
  mkdirSync(root, { recursive: true });
  const machine = describeMachine();
  const mode = values.quick ? 'quick' : 'full';
  const results: Measurement[] = [];
  const note = (text: string): void => void process.stderr.write(`${text}\n`);
  const context = createContext({
    mode,
    root,
    only: values.only,
    note,
    report(measurement) {
      const result: Result = { ...measurement, mode, machine };
      results.push(measurement);
      process.stdout.write(`${JSON.stringify(result)}\n`);
    },
  });
  const failures = await runSuites(context).finally(() =>
    rm(root, { recursive: true, force: true }),
  );
  note(`\n${formatSummary(results)}`);
  for (const failure of failures) note(`\nFAILED ${failure}`);
  if (results.length === 0) note('no row was measured');
  return failures.length > 0 || results.length === 0 ? 1 : 0;
}

/** A suite that fails is told at the end and makes the run fail; the others are measured all the same. */
async function runSuites(context: BenchContext): Promise<string[]> {
  const failures: string[] = [];
  for (const { name, run } of suites) {
    const startedMs = performance.now();
    try {
      await run(context);
    } catch (error) {
      failures.push(
        `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
    const seconds = (performance.now() - startedMs) / 1000;
    if (seconds > 0.1) context.note(`${name}: ${seconds.toFixed(1)} s`);
  }
  return failures;
}

process.exitCode = await main(process.argv.slice(2));
