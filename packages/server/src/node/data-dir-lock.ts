import { link, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeError } from '../base/errors.ts';

// Holds: <data_dir>/lock, the process that owns the directory. Written by: the node that starts.
// A crash leaves: the file, naming a process that is gone; the next start recognises that by the start time of
//   the process and the boot of the machine, since process ids repeat (in a container it is always 1).

interface Owner {
  readonly pid: number;
  /** Start time and boot id: together they name one process for ever; empty where the system does not tell. */
  readonly identity: string;
}

/** Two nodes on one data directory would write one log. Resolves with the release, or throws `config_invalid`. */
export async function lockDataDir(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, 'lock');
  const own: Owner = { pid: process.pid, identity: await identityOf(process.pid) };
  const candidate = `${path}.${process.pid}`;
  await writeFile(candidate, JSON.stringify(own));
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      if (await tryLink(candidate, path)) return () => unlink(path);
      const owner = await readOwner(path);
      if (owner !== undefined && (await isAlive(owner))) {
        throw new NodeError(
          'config_invalid',
          `data_dir ${directory} is in use by process ${owner.pid}; stop it or choose another data_dir`,
        );
      }
      await unlink(path).catch(() => undefined);
    }
    throw new NodeError(
      'config_invalid',
      `data_dir ${directory} is being taken by another process`,
    );
  } finally {
    await unlink(candidate);
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

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
  if (owner.pid === process.pid) return false;
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
