/** Files, exports and dependencies nobody uses, by knip. What is used is seen from `main.ts`, so it must exist. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (existsSync('packages/server/src/main.ts')) {
  process.exitCode = spawnSync('knip', process.argv.slice(2), { stdio: 'inherit' }).status ?? 1;
  if (process.exitCode === 0) console.log('unused: nothing');
} else console.log('unused: not checked, packages/server/src/main.ts does not exist yet');
