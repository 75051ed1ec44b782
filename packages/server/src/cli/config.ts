import { loadConfig, printConfig, renderConfigReference } from '../config/index.ts';
import { EXIT, UsageError, type Command, type CommandContext } from './command.ts';
import { parseStartArgs } from './start.ts';

const USAGE = `usage: varve config check|print [--config FILE] [--KEY VALUE]…
       varve config reference

  check      list every problem of the configuration, start nothing
  print      show every effective value with its origin, secrets redacted
  reference  print the reference of all keys as Markdown
`;

export const configCommand: Command = {
  name: 'config',
  summary: 'check, print or describe the configuration',
  run: runConfig,
};

async function runConfig(argv: readonly string[], context: CommandContext): Promise<number> {
  const [action, ...rest] = argv;
  if (action === undefined || action === '--help' || action === '-h') {
    context.stdout.write(USAGE);
    return EXIT.ok;
  }
  if (action === 'reference') {
    context.stdout.write(renderConfigReference());
    return EXIT.ok;
  }
  if (action !== 'check' && action !== 'print') {
    throw new UsageError(`unknown action ${action}; use check, print or reference`);
  }
  const { configPath, flags } = parseStartArgs(rest);
  const loaded = await loadConfig({ configPath, env: context.env, flags });
  if (action === 'print') {
    context.stdout.write(printConfig(loaded));
  } else {
    for (const notice of loaded.notices) context.stdout.write(`note: ${notice}\n`);
    context.stdout.write('the configuration is valid\n');
  }
  return EXIT.ok;
}
