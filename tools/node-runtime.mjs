// Finds the Node this project runs on. Plain JavaScript: it must run on any Node from 20 up.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const requiredMajor = 24;

/** @param {string} root */
export function pinnedNodePath(root) {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  return join(root, 'node_modules', 'node', 'bin', name);
}

/**
 * @param {string} path
 * @returns {number | undefined} the major version, or undefined when the file does not run
 */
export function nodeMajor(path) {
  if (!existsSync(path)) return undefined;
  const result = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  const match = /^v(\d+)\./.exec(result.stdout ?? '');
  return result.status === 0 && match ? Number(match[1]) : undefined;
}

/**
 * The pinned Node 24 of `node_modules`, or the Node that runs this script when it is new enough.
 *
 * @param {string} root
 * @returns {string | undefined}
 */
export function findNode(root) {
  const pinned = pinnedNodePath(root);
  // Running on it already proves that it works, and saves starting another process.
  if (process.execPath === pinned) return pinned;
  if (nodeMajor(pinned) === requiredMajor) return pinned;
  return Number(process.versions.node.split('.')[0]) >= requiredMajor
    ? process.execPath
    : undefined;
}

export const noRuntimeMessage = `varve runs on Node ${requiredMajor}, which comes with the package "node" in package.json, but it is not installed.
Its install script did not run; most often npm is set to ignore install scripts. Either
  - run:  npm rebuild node --ignore-scripts=false
  - or put Node ${requiredMajor} or later on the PATH and run the same command again.`;
