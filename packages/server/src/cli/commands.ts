import type { Command } from './command.ts';
import { configCommand } from './config.ts';
import { demoCommand } from './demo.ts';
import { sqlCommand } from './sql.ts';
import { startCommand } from './start.ts';

/** Every command, in the order of `varve --help`. A new one is registered here and nowhere else. */
export const commands: readonly Command[] = [startCommand, sqlCommand, configCommand, demoCommand];

export function renderHelp(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `usage: varve COMMAND [options]

A self-hosted store for logs and events, as Parquet in your own bucket.

${lines.join('\n')}

  varve COMMAND --help   options of a command
  varve --version        version of this program

Exit codes: 0 done · 1 failed · 2 wrong usage · 3 invalid configuration
Environment: VARVE_CONFIG (file), VARVE_URL and VARVE_TOKEN (varve sql, varve demo), and VARVE_… for every key
of the configuration (varve config reference).
`;
}
