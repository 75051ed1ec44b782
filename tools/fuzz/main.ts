/**
 * Feeds damaged inputs to the decoders: `npm run fuzz -- [--seconds 10] [--seed 1] [--only <part of a name>]`.
 * A `*.fuzz.ts` file beside a decoder exports `fuzzTargets`. `run` throws only when it found a fault, so a
 * target catches the errors its decoder is meant to throw, and checks what must hold afterwards.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { listFiles } from '../source-files.ts';
import { createRandom, mutate } from './mutate.ts';

interface FuzzTarget {
  readonly name: string;
  /** Valid inputs that the changes start from. */
  readonly seeds: readonly Uint8Array[];
  run(input: Uint8Array): void | Promise<void>;
}

interface FuzzOptions {
  readonly seconds: number;
  readonly seed: number;
}

/** The input that made the target throw, undefined when none did. */
async function fuzz(target: FuzzTarget, options: FuzzOptions): Promise<Uint8Array | undefined> {
  const random = createRandom(options.seed);
  const endMs = performance.now() + options.seconds * 1000;
  let runs = 0;
  for (let input = target.seeds[0]; performance.now() < endMs; runs += 1) {
    input = runs < target.seeds.length ? target.seeds[runs] : mutate(target.seeds, random);
    if (input === undefined) break;
    try {
      await target.run(input);
    } catch (error) {
      console.error(`${target.name}: input ${runs} of seed ${options.seed}:`, error);
      return input;
    }
  }
  console.log(`${target.name}: ${runs} inputs, no fault`);
  return undefined;
}

async function loadTargets(only: string): Promise<FuzzTarget[]> {
  const files = listFiles('.', 'packages', (name) => name.endsWith('.fuzz.ts'));
  const modules = await Promise.all(
    files.map(
      async (file) => (await import(resolve(file))) as { readonly fuzzTargets: FuzzTarget[] },
    ),
  );
  return modules
    .flatMap(({ fuzzTargets }) => fuzzTargets)
    .filter(({ name }) => name.includes(only));
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
const targets = await loadTargets(values.only);
if (targets.length === 0) {
  console.error('fuzz: no target found');
  process.exitCode = 1;
}
for (const target of targets) {
  const failing = await fuzz(target, {
    seconds: Number(values.seconds),
    seed: Number(values.seed),
  });
  if (failing === undefined) continue;
  const path = join(tmpdir(), `${target.name.replace(/\W+/g, '-')}.input`);
  writeFileSync(path, failing);
  console.error(`${target.name}: the input is in ${path}`);
  process.exitCode = 1;
}
