import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type {
  FromGenerator,
  GeneratorOptions,
  LoadOutcome,
  LoadRequest,
  ToGenerator,
} from './messages.ts';

/** The load generator, in a process of its own. */
export class LoadGenerator implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly bodyBytesPerEvent: number;

  private constructor(child: ChildProcess, bodyBytesPerEvent: number) {
    this.#child = child;
    this.bodyBytesPerEvent = bodyBytesPerEvent;
  }

  static async open(options: GeneratorOptions): Promise<LoadGenerator> {
    const path = fileURLToPath(new URL('generator-process.ts', import.meta.url));
    const child = fork(path, [JSON.stringify(options)], { serialization: 'advanced' });
    const message = await nextMessage(child);
    if (message.kind !== 'ready') throw new Error('the load generator did not start');
    return new LoadGenerator(child, message.bodyBytesPerEvent);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Rejects when a request was refused for anything but back-pressure. */
  async run(load: LoadRequest): Promise<LoadOutcome> {
    this.#child.send({ kind: 'run', load } satisfies ToGenerator);
    const message = await nextMessage(this.#child);
    if (message.kind === 'done') return message.outcome;
    throw new Error(message.kind === 'failed' ? message.message : 'an unexpected message');
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.send({ kind: 'stop' } satisfies ToGenerator);
    await once(this.#child, 'exit');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function nextMessage(child: ChildProcess): Promise<FromGenerator> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => settle(() => reject(new Error('the load generator ended')));
    const onMessage = (message: FromGenerator): void => settle(() => resolve(message));
    const settle = (finish: () => void): void => {
      child.off('exit', onExit);
      child.off('message', onMessage);
      finish();
    };
    child.once('exit', onExit);
    child.once('message', onMessage as (message: unknown) => void);
  });
}
