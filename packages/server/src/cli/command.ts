import type { Writable } from 'node:stream';
import type { Environment } from '../config/index.ts';

/** What a command may touch of its process. */
export interface CommandContext {
  readonly env: Environment;
  readonly stdin: AsyncIterable<string | Uint8Array>;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /**
   * Aborted by the first SIGINT or SIGTERM; a second one ends the process at once. Signals are handled
   * from the first call on.
   */
  interruption(): AbortSignal;
  onHangup(listener: () => void): void;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Resolves with the exit code. */
  run(argv: readonly string[], context: CommandContext): Promise<number>;
}

/** Documented in `varve --help`. */
export const EXIT = { ok: 0, failed: 1, usage: 2, configInvalid: 3 } as const;

/** The command line itself is wrong; the message says how to write it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
