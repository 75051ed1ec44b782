import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './command.ts';

const interop = join(import.meta.dirname, '..');
/** Kept from run to run, and ignored by git. */
export const toolsDirectory = join(interop, '.tools');

/** Something the suite needs, or why it is not there. */
export type Installed<T> =
  | { readonly isInstalled: true; readonly value: T }
  | { readonly isInstalled: false; readonly reason: string };

/** The npm packages of the suite, of exactly the versions of its lock file. */
export async function installPackages(): Promise<Installed<string>> {
  const modules = join(interop, 'node_modules');
  const lock = await readFile(join(interop, 'package-lock.json'));
  return installOnce(join(modules, '.installed'), lock, async () => {
    // The variables npm sets for its scripts would point this npm to the folder of the other one.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^npm_(config_local_)?prefix$/i.test(name)),
    );
    const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code, output } = await runCommand('npm', args, { cwd: interop, env });
    return code === 0 ? modules : new Error(`npm ci failed: ${output.slice(-1000)}`);
  });
}

/** A Python interpreter with the packages of `requirements.txt`. */
export function installPython(): Promise<Installed<string>> {
  return installPythonServer('python', 'requirements.txt');
}

/** An interpreter of its own for a server that brings many packages. */
export async function installPythonServer(
  name: string,
  requirementsPath: string,
): Promise<Installed<string>> {
  const requirements = join(interop, requirementsPath);
  const directory = join(toolsDirectory, name);
  const python = join(directory, 'bin', 'python3');
  const wanted = await readFile(requirements);
  return installOnce(join(directory, '.installed'), wanted, async () => {
    await rm(directory, { recursive: true, force: true });
    const venv = await runCommand('python3', ['-m', 'venv', directory]).catch(toFailure);
    if (venv.code !== 0) return new Error(`no virtual environment: ${venv.output.slice(-500)}`);
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    const pip = await runCommand(python, [...args, '--requirement', requirements]);
    return pip.code === 0 ? python : new Error(`pip failed: ${pip.output.slice(-1000)}`);
  });
}

function toFailure(error: unknown): { code: number; output: string } {
  return { code: 1, output: String(error) };
}

/** The marker holds what was installed and where; it is written last, so half an installation has none. */
export async function installOnce(
  marker: string,
  wanted: Uint8Array,
  install: () => Promise<string | Error>,
): Promise<Installed<string>> {
  const hash = createHash('sha256').update(wanted).digest('hex');
  if (existsSync(marker)) {
    const [installedHash, value = ''] = (await readFile(marker, 'utf8')).split('\n');
    if (installedHash === hash && existsSync(value)) return { isInstalled: true, value };
  }
  const value = await install();
  if (value instanceof Error) return { isInstalled: false, reason: value.message };
  await writeFile(marker, `${hash}\n${value}`);
  return { isInstalled: true, value };
}
