/** The repository names no path of one machine, no package registry and no download address. */
import { readFileSync } from 'node:fs';
import { type Finding, lineAt, listFiles, report } from './source-files.ts';

interface Ban {
  readonly pattern: RegExp;
  readonly message: string;
}

// Spelled in pieces, so that this file does not find itself.
const machineRoots = ['work', 'root', 'home'].join('|');
const registryHosts = [
  String.raw`registry(?:-1)?\.[a-z0-9-]+\.[a-z]{2,}`,
  String.raw`files\.python${'hosted'}\.org`,
  String.raw`proxy\.go${'lang'}\.org`,
].join('|');

const bans: readonly Ban[] = [
  {
    pattern: new RegExp(`(?<![\\w.~})-])/(?:${machineRoots})/[\\w.~-]`, 'g'),
    message: 'names a path of one machine',
  },
  {
    pattern: new RegExp(`(?<![\\w-])(?:${registryHosts})`, 'g'),
    message: 'names a package registry',
  },
  { pattern: /"resolved":\s"http/g, message: 'names a download address' },
];

const binary = /\.(png|jpg|ico|woff2?|parquet|avro|zst|gz|bin|wasm|pb)$/;

/** Every banned text of one file. */
export function findBannedText(path: string, text: string): Finding[] {
  return bans.flatMap(({ pattern, message }) =>
    [...text.matchAll(pattern)].map((match) => ({
      path,
      line: lineAt(text, match.index),
      message: `${message}: ${match[0]}`,
    })),
  );
}

/** Every text file of the repository, hidden ones included. */
export function textFiles(root: string): string[] {
  return listFiles(root, '', (name) => !binary.test(name));
}

function main(): void {
  const paths = textFiles('.');
  const findings = paths.flatMap((path) => findBannedText(path, readFileSync(path, 'utf8')));
  report('text', findings, { count: paths.length, minimum: 30, what: 'files' });
}

if (import.meta.main) main();
