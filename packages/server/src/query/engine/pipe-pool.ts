import { execFile } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Named pipes the engine writes results into. A pipe is handed out again only after its query has ended on both
 * sides, so bytes of one result can never show up in another.
 */
export class PipePool {
  readonly #directory: string;
  readonly #free: string[] = [];
  #made = 0;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Empties the folder and makes the first pipes. */
  static async open(directory: string, count: number): Promise<PipePool> {
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const pool = new PipePool(directory);
    await pool.#make(count);
    return pool;
  }

  async take(): Promise<string> {
    if (this.#free.length === 0) await this.#make(1);
    return this.#free.pop() ?? this.take();
  }

  give(path: string): void {
    this.#free.push(path);
  }

  /** Removes a pipe an engine that died may still have open. */
  async discard(path: string): Promise<void> {
    await rm(path, { force: true });
  }

  async #make(count: number): Promise<void> {
    const paths = Array.from({ length: count }, () => {
      this.#made += 1;
      return join(this.#directory, `pipe-${String(this.#made)}`);
    });
    // Node has no call for this.
    await run('mkfifo', ['-m', '600', ...paths]);
    this.#free.push(...paths);
  }
}

/**
 * The reading end, watched by the event loop rather than by a thread. It must be open before the engine opens
 * the other end, and stay open until the engine has: an engine without a reader would wait in `open` for ever.
 */
export function openPipeReader(path: string): Socket {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}
