import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockDataDir } from './data-dir-lock.ts';

async function setup() {
  const directory = await mkdtemp(join(tmpdir(), 'varve-lock-'));
  return {
    directory,
    ownedBy: (pid: number) =>
      writeFile(join(directory, 'lock'), JSON.stringify({ pid, identity: '' })),
    owner: async () =>
      (JSON.parse(await readFile(join(directory, 'lock'), 'utf8')) as { pid: number }).pid,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** A process that has ended under a parent that never asks for its exit code. */
async function startZombie() {
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  const state = async (): Promise<string> =>
    (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.[0] ?? '';
  await expect.poll(state).toBe('Z');
  return { pid, [Symbol.dispose]: () => void parent.kill('SIGKILL') };
}

describe('lockDataDir', () => {
  it('takes a directory once, and again when it was released', async () => {
    await using rig = await setup();
    const release = await lockDataDir(rig.directory);
    expect(await rig.owner()).toBe(process.pid);
    await release();
    await (
      await lockDataDir(rig.directory)
    )();
  });

  it('refuses a directory whose owner runs', async () => {
    await using rig = await setup();
    await rig.ownedBy(process.ppid);
    await expect(lockDataDir(rig.directory)).rejects.toThrow(`in use by process ${process.ppid}`);
  });

  it('takes over from an owner that is gone, or was killed and is still in the process table', async () => {
    await using rig = await setup();
    await rig.ownedBy(2 ** 22 + 1);
    await (
      await lockDataDir(rig.directory)
    )();
    if (process.platform !== 'linux') return;
    using zombie = await startZombie();
    await rig.ownedBy(zombie.pid);
    await lockDataDir(rig.directory);
    expect(await rig.owner()).toBe(process.pid);
  });
});
