import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeProcess } from './node/node-process.ts';
import type { Measurement, Mode } from './result.ts';

/** What a suite is run with. */
export interface BenchContext {
  readonly mode: Mode;
  /** Whether one of these rows, or rows that begin with these names, was asked for. */
  wants(...names: readonly string[]): boolean;
  report(measurement: Measurement): void;
  /** Progress for people. */
  note(text: string): void;
  /** A directory of the run's own, on the disk that is measured. */
  directory(name: string): string;
}

/** `full` or `quick`, whichever the run is. */
export function sized<T>(context: BenchContext, sizes: { full: T; quick: T }): T {
  return context.mode === 'full' ? sizes.full : sizes.quick;
}

/** Runs `work` with a node that is gone afterwards, with everything it stored. */
export async function withNode<T>(
  context: BenchContext,
  options: { name: string; config?: Readonly<Record<string, string | number>> },
  work: (node: NodeProcess) => Promise<T>,
): Promise<T> {
  const directory = context.directory(options.name);
  try {
    await using node = await NodeProcess.start({ directory, config: options.config ?? {} });
    return await work(node);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export function createContext(options: {
  mode: Mode;
  root: string;
  only: readonly string[];
  report: (measurement: Measurement) => void;
  note: (text: string) => void;
}): BenchContext {
  const { mode, root, only, report, note } = options;
  const isWanted = (name: string): boolean =>
    only.some((wanted) => name.startsWith(wanted) || wanted.startsWith(`${name}.`));
  return {
    mode,
    wants: (...names) => only.length === 0 || names.some(isWanted),
    report,
    note,
    directory(name) {
      const path = join(root, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
  };
}
