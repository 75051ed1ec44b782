import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CrashTarget, RunningTarget } from './harness.ts';
import { IngestLoop } from './ingest-loop.ts';

const childPath = fileURLToPath(new URL('./ingest-child.ts', import.meta.url));

type ChildMessage =
  | { readonly isReady: true }
  | { readonly request: number; readonly isStored: boolean };

/** The writer loop in a process of its own; requests and answers travel over the IPC channel. */
export class IngestTarget implements CrashTarget {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async start(): Promise<RunningTarget> {
    const child = fork(childPath, [this.#directory], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    return RunningIngest.whenReady(child);
  }

  async readStored(): Promise<string[]> {
    const loop = await IngestLoop.open(this.#directory);
    const ids = await loop.readStored();
    await loop.close();
    return ids;
  }
}

class RunningIngest implements RunningTarget {
  readonly #child: ChildProcess;
  readonly #unanswered = new Map<number, (isStored: boolean) => void>();
  #nextRequest = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (message: ChildMessage) => {
      if ('request' in message) this.#settle(message.request, message.isStored);
    });
    child.on('exit', () => {
      for (const request of this.#unanswered.keys()) this.#settle(request, false);
    });
  }

  static async whenReady(child: ChildProcess): Promise<RunningIngest> {
    const running = new RunningIngest(child);
    const exit = once(child, 'exit').then(() => {
      throw new Error('the program ended before it was ready');
    });
    await Promise.race([once(child, 'message'), exit]);
    // Later it is killed, which is no failure.
    exit.catch(() => undefined);
    return running;
  }

  send(ids: readonly string[]): Promise<boolean> {
    if (!this.#child.connected) return Promise.resolve(false);
    const request = this.#nextRequest++;
    return new Promise((resolve) => {
      this.#unanswered.set(request, resolve);
      this.#child.send({ request, ids }, (error) => {
        if (error !== null) this.#settle(request, false);
      });
    });
  }

  async kill(): Promise<void> {
    const isGone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await isGone;
  }

  #settle(request: number, isStored: boolean): void {
    this.#unanswered.get(request)?.(isStored);
    this.#unanswered.delete(request);
  }
}
