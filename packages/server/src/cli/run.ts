import { NodeError } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import { EXIT, UsageError, type CommandContext } from './command.ts';
import { commands, renderHelp } from './commands.ts';

/** Runs the command that `argv` names and resolves with the exit code; errors become text on stderr. */
export async function runCli(argv: readonly string[], context: CommandContext): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    context.stdout.write(renderHelp());
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  if (name === '--version' || name === '-V') {
    context.stdout.write(`varve ${VERSION}\n`);
    return EXIT.ok;
  }
  const command = commands.find((known) => known.name === name);
  try {
    if (command === undefined) throw new UsageError(`unknown command ${name}`);
    return await command.run(rest, context);
  } catch (error) {
    context.stderr.write(`varve: ${describe(error)}\n`);
    return exitCodeOf(error);
  }
}

function exitCodeOf(error: unknown): number {
  if (isUsageError(error)) return EXIT.usage;
  return error instanceof NodeError && error.code === 'config_invalid'
    ? EXIT.configInvalid
    : EXIT.failed;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return isUsageError(error) ? `${error.message}\ntry varve --help` : error.message;
}

/** Ours, or one of `parseArgs`. */
function isUsageError(error: unknown): boolean {
  if (error instanceof UsageError) return true;
  return (
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  );
}
