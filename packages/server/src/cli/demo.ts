import { systemClock } from '../base/clock.ts';
import { runDemo } from '../demo/index.ts';
import type { Command } from './command.ts';

export const demoCommand: Command = {
  name: 'demo',
  summary: 'replay a small shop into a node, to have something to look at',
  run: (argv, context) =>
    runDemo(argv, {
      clock: systemClock,
      signal: context.interruption(),
      url: context.env['VARVE_URL'],
      token: context.env['VARVE_TOKEN'],
      terminal: {
        isTty: context.stdout === process.stdout && process.stdout.isTTY === true,
        columns: process.stdout.columns || 80,
        write: (text) => void context.stdout.write(text),
      },
    }),
};
