import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const skippedNames = new Set([
  'node_modules',
  'dist',
  '.git',
  'data',
  'coverage',
  'results',
  '.tools',
]);

/** Files below `folder` whose name `accepts`, as `/`-separated paths relative to `root`, in order. */
export function listFiles(
  root: string,
  folder: string,
  accepts: (name: string) => boolean,
): string[] {
  const found: string[] = [];
  let entries;
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch {
    return found;
  }
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (skippedNames.has(entry.name)) continue;
    if (entry.isDirectory()) {
      found.push(...listFiles(root, path, accepts));
    } else if (entry.isFile() && accepts(entry.name)) found.push(path);
  }
  return found.toSorted();
}

const sourceFolders = ['packages', 'tools', 'bench', 'interop', 'bin'];

/** Every source file of the project by path, with its text. */
export function readSources(root: string): Map<string, string> {
  const isSource = (name: string): boolean => /\.(ts|tsx|mts|js|mjs)$/.test(name);
  const paths = sourceFolders.flatMap((folder) => listFiles(root, folder, isSource));
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** 1-based line of a character offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1))
    line += 1;
  return line;
}

/** Prints findings and sets the exit code; a gate that looked at fewer than `minimum` things fails too. */
export function report(
  gate: string,
  findings: readonly Finding[],
  looked: { count: number; minimum: number; what: string },
): void {
  for (const { path, line, message } of findings) console.error(`${path}:${line}: ${message}`);
  if (looked.count < looked.minimum) {
    console.error(
      `${gate}: looked at ${looked.count} ${looked.what}, expected at least ${looked.minimum}`,
    );
    process.exitCode = 1;
  } else if (findings.length > 0) {
    console.error(`${gate}: ${findings.length} findings in ${looked.count} ${looked.what}`);
    process.exitCode = 1;
  } else console.log(`${gate}: ${looked.count} ${looked.what}, no findings`);
}
