import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDataDir } from './data-dir-lock.ts';

const script = `
  const { lockDataDir } = await import(process.argv[1]);
  await lockDataDir(process.argv[2]).then(() => console.log('locked'), () => console.log('refused'));
  setInterval(() => undefined, 1000);
`;

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-lock-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function startProcess() {
  const module = join(import.meta.dirname, 'data-dir-lock.ts');
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, module, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [answer] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    answer: answer.toString().trim(),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

describe('lockDataDir', () => {
  it('refuses a directory that another process uses, until that one is gone', async () => {
    {
      await using other = await startProcess();
      expect(other.answer).toBe('locked');
      await expect(lockDataDir(directory)).rejects.toMatchObject({ code: 'config_invalid' });
    }
    // It was killed and could not clean up.
    const release = await lockDataDir(directory);
    expect(await readdir(join(directory, 'owners'))).toHaveLength(1);
    await release();
    expect(await readdir(join(directory, 'owners'))).toEqual([]);
  });

  it('refuses a second node in the same process, and leaves the first its lock', async () => {
    const release = await lockDataDir(directory);
    await expect(lockDataDir(directory)).rejects.toThrow('in use by process');
    await expect(lockDataDir(directory)).rejects.toThrow('in use by process');
    await release();
    await (
      await lockDataDir(directory)
    )();
  });

  it('never lets two of many that start at once have it', async () => {
    await using processes = new AsyncDisposableStack();
    const started = await Promise.all(Array.from({ length: 4 }, () => startProcess()));
    for (const one of started) processes.use(one);
    expect(started.filter(({ answer }) => answer === 'locked').length).toBeLessThanOrEqual(1);
  });

  it('passes over a file that a power cut left empty', async () => {
    await (
      await lockDataDir(directory)
    )();
    await writeFile(join(directory, 'owners', 'empty'), '');
    await (
      await lockDataDir(directory)
    )();
    expect(await readdir(join(directory, 'owners'))).toEqual([]);
  });

  it('passes over an owner that ended under a parent that never asks for its exit code', async () => {
    if (process.platform !== 'linux') return;
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString());
      const stat = (): Promise<string> => readFile(`/proc/${pid}/stat`, 'utf8');
      await expect.poll(stat).toMatch(/\) Z /);
      await (
        await lockDataDir(directory)
      )();
      await writeFile(join(directory, 'owners', 'zombie'), JSON.stringify({ pid, identity: '' }));
      await (
        await lockDataDir(directory)
      )();
      expect(await readdir(join(directory, 'owners'))).toEqual([]);
    } finally {
      parent.kill('SIGKILL');
    }
  });
});
