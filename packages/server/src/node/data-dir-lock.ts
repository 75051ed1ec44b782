import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeError } from '../base/errors.ts';

// Holds: <data_dir>/owners/<uuid>, one small file per process that owns the directory or is trying to.
// Written by: every node that starts, under a name of its own, before it looks for others. Of two that start at
//   once at least one sees the other and gives way; a file is never taken over, so nobody can be robbed of it.
// A crash leaves: a file that names a process that is gone; the next start recognises that by the start time of the
//   process and the boot of the machine, since process ids repeat (in a container it is always 1), and removes it.

interface Owner {
  readonly pid: number;
  /** Start time and boot id: together they name one process for ever; empty where the system does not tell. */
  readonly identity: string;
}

const unfinishedSuffix = '.tmp';

/**
 * Two nodes on one data directory would write one log. Resolves with the release, or throws `config_invalid`. Sees
 * processes of the same machine and process-id namespace only.
 */
export async function lockDataDir(directory: string): Promise<() => Promise<void>> {
  const owners = join(directory, 'owners');
  await mkdir(owners, { recursive: true });
  const name = randomUUID();
  const path = join(owners, name);
  const own: Owner = { pid: process.pid, identity: await identityOf(process.pid) };
  await writeFile(path + unfinishedSuffix, JSON.stringify(own));
  await rename(path + unfinishedSuffix, path);
  const rival = await findRival(owners, name);
  if (rival === undefined) return () => unlink(path);
  await unlink(path);
  throw new NodeError(
    'config_invalid',
    `data_dir ${directory} is in use by process ${rival.pid}; stop it or choose another data_dir`,
  );
}

/** Another process that lives; files of those that do not are removed. */
async function findRival(owners: string, ownName: string): Promise<Owner | undefined> {
  for (const name of await readdir(owners)) {
    if (name === ownName || name.endsWith(unfinishedSuffix)) continue;
    const path = join(owners, name);
    const owner = await readOwner(path);
    if (owner !== undefined && (await isAlive(owner))) return owner;
    // Somebody else may have removed it first.
    await unlink(path).catch(() => undefined);
  }
  return undefined;
}

/** Undefined for a file that a power cut left empty, or that is gone. */
async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    const parsed: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const { pid, identity } = parsed as Partial<Owner>;
    return typeof pid === 'number' && typeof identity === 'string' ? { pid, identity } : undefined;
  } catch {
    return undefined;
  }
}

async function isAlive(owner: Owner): Promise<boolean> {
  if (owner.identity === '' && owner.pid === process.pid) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  if (await isZombie(owner.pid)) return false;
  return owner.identity === '' || owner.identity === (await identityOf(owner.pid));
}

/** It has ended, but its parent has not asked for its exit code; in a container that may never happen. */
async function isZombie(pid: number): Promise<boolean> {
  try {
    const [state] = await statFields(pid);
    // Threads may outlive the first one for a moment, and finish what they were writing.
    return state === 'Z' && (await readdir(`/proc/${pid}/task`)).length === 1;
  } catch {
    return false;
  }
}

async function identityOf(pid: number): Promise<string> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const startTime = (await statFields(pid))[19] ?? '';
    return `${boot.trim()}/${startTime}`;
  } catch {
    return '';
  }
}

/** proc(5), from field 3 on: after the command name, which may hold anything but ends with the last parenthesis. */
async function statFields(pid: number): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
