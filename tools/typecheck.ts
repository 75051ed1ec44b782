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

const results = ['.', ...packages.filter(hasSources)].map(check);
if (results.length < 2) console.error('typecheck: found no package with sources');
process.exitCode = results.length >= 2 && results.every(Boolean) ? 0 : 1;
