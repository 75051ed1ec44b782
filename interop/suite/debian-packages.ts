import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { outputOf, runCommand } from './command.ts';
import { type Installed, installOnce, toolsDirectory } from './installation.ts';

/**
 * Debian packages with what they need beyond this system, unpacked below `.tools` and not installed: no daemon starts,
 * and nothing of the system changes. Resolves with the folder that stands for `/`.
 */
export async function unpackDebianPackages(names: readonly string[]): Promise<Installed<string>> {
  const folder = join(toolsDirectory, 'debian', names[0] ?? '');
  const root = join(folder, 'root');
  await mkdir(root, { recursive: true });
  return installOnce(join(folder, '.installed'), Buffer.from(names.join(' ')), async () => {
    try {
      const needed = await neededPackages(names);
      await outputOf('apt-get', ['download', '-qq', ...needed], { cwd: folder });
      const archives = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
      for (const archive of archives) {
        await outputOf('dpkg-deb', ['--extract', join(folder, archive), root]);
      }
      return root;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  });
}

/** Where the dynamic linker finds what was unpacked. */
export function libraryDirectories(root: string): readonly string[] {
  return ['usr/lib', 'lib'].flatMap((folder) => {
    const path = join(root, folder);
    if (!existsSync(path)) return [];
    const names = readdirSync(path).filter((name) => name.endsWith('-linux-gnu'));
    return names.map((name) => join(path, name));
  });
}

/** What an installation would add, by a simulated one, and the packages themselves. */
async function neededPackages(names: readonly string[]): Promise<readonly string[]> {
  const args = ['install', '--simulate', '--no-install-recommends', ...names];
  let simulated = await runCommand('apt-get', args);
  if (simulated.code !== 0 && mayUpdateLists()) {
    await runCommand('apt-get', ['update', '-qq']);
    simulated = await runCommand('apt-get', args);
  }
  if (simulated.code !== 0) {
    throw new Error(`no Debian packages ${names.join(', ')}: ${simulated.output.slice(-300)}`);
  }
  const added = [...simulated.stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name ?? '');
  return [...new Set([...names, ...added])];
}

/** The package lists belong to the system; only where it is thrown away afterwards they are brought up to date. */
function mayUpdateLists(): boolean {
  const isAllowed = process.env['CI'] !== undefined || process.env['INTEROP_APT'] !== undefined;
  return process.getuid?.() === 0 && isAllowed;
}
