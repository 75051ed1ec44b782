import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { VERSION } from '../base/version.ts';
import { loadConfig, optionPaths, type OptionFlag } from '../config/index.ts';
import { openNode } from '../node/index.ts';
import { createLogger } from '../telemetry/index.ts';
import { EXIT, UsageError, type Command, type CommandContext } from './command.ts';

const USAGE = `usage: varve start [--config FILE] [--print-addresses] [--KEY VALUE]…

Starts a node and runs it until SIGINT or SIGTERM; a second signal ends it at once.

  --config FILE        YAML file (or VARVE_CONFIG)
  --print-addresses    write one JSON line with the real addresses to stdout once the node is ready
  --KEY VALUE          any key of the configuration, as in --data_dir /var/lib/varve
`;

export const startCommand: Command = { name: 'start', summary: 'start a node', run: runStart };

async function runStart(argv: readonly string[], context: CommandContext): Promise<number> {
  const args = parseStartArgs(argv);
  if (args.wantsHelp) {
    context.stdout.write(USAGE);
    return EXIT.ok;
  }
  const { env } = context;
  const loaded = await loadConfig({ configPath: args.configPath, env, flags: args.flags });
  const logger = createLogger(loaded.config.log);
  for (const notice of loaded.notices) logger.warn(notice);
  const interruption = context.interruption();
  const failure = new AbortController();
  const opening = openNode({
    config: loaded.config,
    logger,
    signal: interruption,
    onFailure: (error) => failure.abort(error),
  });
  await using node = await opening.catch((error: unknown) => {
    if (!interruption.aborted) throw error;
    logger.info({ err: error }, 'stopped while starting');
    return undefined;
  });
  if (node === undefined) return EXIT.ok;
  context.onHangup(() => {
    node.reload().then(
      () => logger.info('read the certificates again'),
      (err: unknown) => logger.error({ err }, 'the certificates could not be read again'),
    );
  });
  logger.info({ version: VERSION, addresses: node.addresses }, 'the node is ready');
  if (args.printsAddresses) {
    context.stdout.write(`${JSON.stringify({ addresses: node.addresses })}\n`);
  }
  const end = AbortSignal.any([interruption, failure.signal]);
  if (!end.aborted) await once(end, 'abort');
  logger.info('stopping');
  await node.close();
  logger.info('stopped');
  return failure.signal.aborted ? EXIT.failed : EXIT.ok;
}

interface StartArgs {
  readonly configPath: string | undefined;
  readonly printsAddresses: boolean;
  readonly wantsHelp: boolean;
  readonly flags: readonly OptionFlag[];
}

/** Every key is a flag; unknown ones are left to the configuration, which knows what they may mean. */
export function parseStartArgs(argv: readonly string[]): StartArgs {
  const text = { type: 'string' } as const;
  const spellings = optionPaths.flatMap((path) => [path, path.replaceAll('_', '-')]);
  const { tokens } = parseArgs({
    args: [...argv],
    options: {
      config: text,
      'print-addresses': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      ...Object.fromEntries(spellings.map((name) => [name, text])),
    },
    strict: false,
    tokens: true,
  });
  const known = [...spellings, 'config', 'help', 'print-addresses'];
  let configPath: string | undefined;
  let printsAddresses = false;
  let wantsHelp = false;
  const flags: OptionFlag[] = [];
  let isAfterUnknown = false;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      if (!isAfterUnknown) throw new UsageError(`unexpected argument ${token.value}`);
      isAfterUnknown = false;
      continue;
    }
    isAfterUnknown = token.value === undefined && !known.includes(token.name);
    if (token.name === 'help') wantsHelp = true;
    else if (token.name === 'print-addresses') printsAddresses = true;
    else if (token.value === undefined && spellings.includes(token.name)) {
      throw new UsageError(`--${token.name} needs a value`);
    } else if (token.name !== 'config') flags.push({ name: token.name, text: token.value ?? '' });
    else if (token.value === undefined) throw new UsageError('--config needs a file');
    else configPath = token.value;
  }
  return { configPath, printsAddresses, wantsHelp, flags };
}
