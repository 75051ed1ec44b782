export { type Command, type CommandContext } from './command.ts';
export { runCli } from './run.ts';
