/**
 * `npm ci` wants an entry for every optional platform package, also those of other platforms, but npm leaves out
 * the ones it could not look up when the lock file was written. This adds them: name and version are fixed by the
 * package that asks for them, platform and processor are part of the name. `--check` only reports.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface LockEntry {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  cpu?: string[];
  os?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

export interface Lock {
  packages: Record<string, LockEntry>;
}

const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
];

/** The entry Node would find for `name` from the package at `path`. */
function resolveEntry(lock: Lock, path: string, name: string): LockEntry | undefined {
  for (let base = path; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const candidate = base === '' ? `node_modules/${name}` : `${base}/node_modules/${name}`;
    const entry = lock.packages[candidate];
    if (entry !== undefined || base === '') return entry;
  }
}

function platformEntry(name: string, version: string, isDev: boolean): LockEntry | undefined {
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  if (os === undefined || cpu === undefined || !/^\d/.test(version)) return undefined;
  const libc = words.includes('musl')
    ? 'musl'
    : words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : undefined;
  return {
    version,
    cpu: [cpu],
    ...(isDev ? { dev: true } : {}),
    ...(os === 'linux' && libc !== undefined ? { libc: [libc] } : {}),
    optional: true,
    os: [os],
  };
}

/** The folder of the tree that the entry belongs in: beside the package that asks for it. */
function parentFolder(path: string): string {
  return path.slice(0, path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** Entries that `lock` lacks, by path. */
export function missingEntries(lock: Lock): Map<string, LockEntry> {
  const missing = new Map<string, LockEntry>();
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path.startsWith('node_modules/')) continue;
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const added = platformEntry(name, version, entry.dev === true);
      // Another package may have brought the same name in another version.
      if (resolveEntry(lock, path, name)?.version === version) continue;
      if (added !== undefined) missing.set(`${parentFolder(path)}${name}`, added);
    }
  }
  return missing;
}

function main(): void {
  const file = 'package-lock.json';
  const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
  const missing = missingEntries(lock);
  if (process.argv.includes('--check')) {
    for (const path of missing.keys()) console.error(`${file}: lacks ${path}`);
    if (missing.size > 0) console.error('run: npm run lock:complete');
    else console.log(`lock: ${Object.keys(lock.packages).length} packages, complete`);
    process.exitCode = missing.size > 0 ? 1 : 0;
    return;
  }
  const entries = [...Object.entries(lock.packages), ...missing].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  writeFileSync(
    file,
    `${JSON.stringify({ ...lock, packages: Object.fromEntries(entries) }, null, 2)}\n`,
  );
  console.log(`lock: ${missing.size} entries added`);
}

if (import.meta.main) main();
