/** All fast gates, one after the other; every one runs, also after one failed. */
import { spawnSync } from 'node:child_process';

const gates = [
  'format:check',
  'lint',
  'typecheck',
  'check:layers',
  'check:unused',
  'check:ratchet',
  'check:docs',
  'check:text',
  'check:lock',
];

const failed: string[] = [];
for (const gate of gates) {
  const started = performance.now();
  const { status } = spawnSync('npm', ['run', '--silent', gate], { stdio: 'inherit' });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'passed' : 'FAILED'}  ${gate}  ${seconds} s`);
  if (status !== 0) failed.push(gate);
}
console.log(
  failed.length === 0
    ? `verify: ${gates.length} gates passed`
    : `verify: failed: ${failed.join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
