import { posix } from 'node:path';

export const serverRoot = 'packages/server/src/';
export const consoleRoot = 'packages/console/src/';
export const contractRoot = 'packages/contract/';

const testFolder = /(^|\/)(test|tests|testing|fixtures|e2e)\//;
const testFile =
  /\.(test|bench|fuzz|fixture|test-support)\.(ts|tsx)$|(^|[-/])(fixtures|testing|tests|test-support)\.tsx?$/;

/** Tests and their support: they may import anything, and nothing but tests may import them. */
export function isTest(path: string): boolean {
  const below = path.replace(/^(packages\/[^/]+|tools|bench|interop)\//, '');
  return testFile.test(path) || testFolder.test(below);
}

/** Module of a server file: its folder, `ingest/<protocol>` for protocols, the file itself at the top. */
export function serverModule(path: string): string | undefined {
  if (!path.startsWith(serverRoot)) return undefined;
  const [first = '', second = '', third] = path.slice(serverRoot.length).split('/');
  if (first === 'ingest' && third !== undefined) return `ingest/${second}`;
  return first;
}

export function packageOf(path: string): string {
  const [top = '', name = ''] = path.split('/');
  return top === 'packages' ? name : top;
}

/** The file a specifier names, undefined for packages and built-in modules. */
export function resolveImport(
  from: string,
  specifier: string,
  exists: (path: string) => boolean,
): string | undefined {
  if (specifier.startsWith('@varve/')) {
    const [, name = '', ...rest] = specifier.split('/');
    const below = rest.join('/').replace(/^src\//, '');
    return `packages/${name}/src/${below === '' ? 'index.ts' : below}`;
  }
  if (!specifier.startsWith('.')) return undefined;
  const path = posix.join(posix.dirname(from), specifier.replace(/\?.*$/, ''));
  const candidates = [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`];
  return candidates.find((candidate) => exists(candidate)) ?? path;
}
