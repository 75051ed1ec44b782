import { runCli, type CommandContext } from './cli/index.ts';
import { processEnvironment } from './config/index.ts';

const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** The first signal asks the command to finish; a second one does not wait for it. */
function watchSignals(): AbortSignal {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (interruption.signal.aborted) process.exit(SIGNAL_EXIT_CODES[signal]);
      interruption.abort(new Error(`received ${signal}`));
    });
  }
  return interruption.signal;
}

function processContext(): CommandContext {
  let interruption: AbortSignal | undefined;
  return {
    env: processEnvironment(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    interruption: () => (interruption ??= watchSignals()),
    onHangup: (listener) => void process.on('SIGHUP', listener),
  };
}

// A reader that has seen enough (`varve sql … | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runCli(process.argv.slice(2), processContext());
