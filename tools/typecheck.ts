/** Type checks every part of the repository that has sources; each part has a tsconfig of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { listFiles } from './source-files.ts';

const packages = ['packages/contract', 'packages/server', 'packages/console'];

function hasSources(folder: string): boolean {
  return listFiles('.', folder, (name) => /\.tsx?$/.test(name)).length > 0;
}

function check(part: string): boolean {
  const project = part === '.' ? 'tsconfig.json' : `${part}/tsconfig.json`;
  if (!existsSync(project)) {
    console.error(`typecheck: ${part} has sources but no tsconfig.json`);
    return false;
  }
  const started = performance.now();
  const { status } = spawnSync('tsc', ['-p', project], { stdio: 'inherit' });
  console.log(`typecheck: ${project} ${Math.round(performance.now() - started)} ms`);
  return status === 0;
}

// Its types come with its own packages; without them the suite, which installs them, checks itself.
const interop = existsSync('interop/node_modules') ? ['interop'] : [];
const results = ['.', ...packages.filter(hasSources), ...interop].map(check);
if (results.length < 2) console.error('typecheck: found no package with sources');
if (interop.length === 0) console.log('typecheck: interop/tsconfig.json is left to the suite');
process.exitCode = results.length >= 2 && results.every(Boolean) ? 0 : 1;
