/**
 * Sends to a really started node with real clients of others and compares what it stored with what was sent.
 * Prints a line for each check, a table, and `N passed, N failed, N skipped`. See COVERAGE.md for what is checked.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type CheckGroup, CheckList } from './suite/check-list.ts';
import { installPackages, installPython } from './suite/installation.ts';
import { countOf, formatResult, formatSummary } from './suite/report.ts';

const usage = `usage: npm run test:interop -- [--only GROUP]…

  --only GROUP  only the groups whose name begins with GROUP; may be repeated

  LOGHUB_DIR    folder with the LogHub sets, <name>/<name>_2k.log, to send besides the lines made here
`;

async function loadGroups(directory: string): Promise<readonly CheckGroup[]> {
  const packages = await installPackages();
  if (!packages.isInstalled) return [withoutPackages(packages.reason)];
  const { allGroups } = await import('./check/all-groups.ts');
  const logHubDirectory = process.env['LOGHUB_DIR'];
  return allGroups({ directory, logHubDirectory, python: await installPython() });
}

/** Without its clients the suite checks next to nothing, which must not pass. */
function withoutPackages(reason: string): CheckGroup {
  return {
    name: 'packages',
    run: (checks) =>
      checks
        .check('the clients are installed', () => {
          throw new Error(reason);
        })
        .then(() => undefined),
  };
}

async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.error(usage);
    return 0;
  }
  const directory = await mkdtemp(join(tmpdir(), 'varve-interop-'));
  const list = new CheckList((result) => console.log(formatResult(result)));
  const startedMs = performance.now();
  for (const group of await loadGroups(directory)) {
    const { only } = values;
    const isWanted = only.length === 0 || only.some((name) => group.name.startsWith(name));
    if (isWanted) await list.runGroup(group);
  }
  const isFailed = countOf(list.results, 'failed') > 0 || list.results.length === 0;
  if (isFailed) console.log(`what the nodes left is kept in ${directory}`);
  else await rm(directory, { recursive: true, force: true });
  console.log(`\n${Math.round((performance.now() - startedMs) / 1000)} s`);
  console.log(formatSummary(list.results));
  return isFailed ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
