// Brings a checkout to the point where it can run: dependencies installed, Node 24 in place, console built.
// Does nothing, quickly, when that is already so. Plain JavaScript without dependencies: it runs before any
// of them is installed, on any Node from 20 up.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  findNode,
  nodeMajor,
  noRuntimeMessage,
  pinnedNodePath,
  requiredMajor,
} from './node-runtime.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** @typedef {{ version?: string, optional?: boolean, link?: boolean }} LockEntry */

/**
 * @param {string} path
 * @returns {Record<string, LockEntry> | undefined}
 */
function readLock(path) {
  if (!existsSync(path)) return undefined;
  return JSON.parse(readFileSync(path, 'utf8')).packages;
}

/**
 * Compares contents, not times: a checkout of another branch touches the lock file without changing it.
 *
 * @param {string} directory
 */
export function isInstalled(directory) {
  const wanted = readLock(join(directory, 'package-lock.json'));
  // npm writes this file last, so an interrupted installation does not have it.
  const present = readLock(join(directory, 'node_modules', '.package-lock.json'));
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) return true;
    const found = present[path];
    if (found === undefined) return entry.optional === true;
    return entry.link === true || found.version === entry.version;
  });
}

/** @param {string[]} args */
function npm(args) {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  return spawnSync('npm', [...args, ...quiet], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  }).status;
}

function install() {
  console.error('installing dependencies (npm ci)');
  if (npm(['ci']) === 0) return;
  // `npm ci` refuses a lock file that lacks the optional packages of other platforms; `npm install` does not,
  // and still takes every version from the lock file.
  console.error('npm ci failed, trying npm install');
  if (npm(['install', '--no-save']) !== 0)
    throw new Error('the dependencies could not be installed');
}

function ensureRuntime() {
  if (process.execPath === pinnedNodePath(root)) return;
  if (nodeMajor(pinnedNodePath(root)) === requiredMajor) return;
  // A no-op where install scripts are disabled.
  npm(['rebuild', 'node']);
  if (findNode(root) === undefined) throw new Error(noRuntimeMessage);
}

/**
 * @param {string} path
 * @returns {number} the latest modification time below the path, 0 when there is nothing
 */
function newestMs(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

function buildConsole() {
  const directory = join(root, 'packages', 'console');
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  if (manifest.scripts?.build === undefined) return;
  const built = statSync(join(directory, 'dist', 'index.html'), { throwIfNoEntry: false });
  const sources = ['src', 'public', 'index.html', 'package.json', 'vite.config.ts'];
  const sourcesMs = Math.max(
    newestMs(join(root, 'packages', 'contract', 'src')),
    ...sources.map((name) => newestMs(join(directory, name))),
  );
  if (built !== undefined && built.mtimeMs >= sourcesMs) return;
  console.error('building the console');
  if (npm(['run', 'build', '--workspace', 'packages/console']) !== 0) {
    throw new Error('the console could not be built');
  }
}

function main() {
  try {
    if (!isInstalled(root)) install();
    ensureRuntime();
    if (!process.argv.includes('--no-build')) buildConsole();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
