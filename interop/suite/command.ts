import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  readonly input?: string;
}

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  /** Both streams in the order they came in, for people. */
  readonly output: string;
}

/** Runs a program to its end; never rejects for its exit code. */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: options.timeoutMs ?? 600_000,
    killSignal: 'SIGKILL',
  });
  const stdout: Buffer[] = [];
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout.push(chunk);
    output.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  // A program that does not read its input is no failure.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return {
    code,
    stdout: Buffer.concat(stdout).toString(),
    output: Buffer.concat(output).toString(),
  };
}

/** The standard output of a program that must succeed. */
export async function outputOf(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { code, stdout, output } = await runCommand(program, args, options);
  if (code === 0) return stdout;
  throw new Error(`${[program, ...args].join(' ')} ended with ${code}:\n${output.slice(-2000)}`);
}
