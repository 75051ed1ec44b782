import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../suite/listen-options.ts';

const startTimeoutMs = 30_000;

/** moto: SQS and S3 in one local server, told apart by the requests. */
export class Moto implements AsyncDisposable {
  readonly endpoint: string;
  readonly #end: () => Promise<void>;

  private constructor(endpoint: string, end: () => Promise<void>) {
    this.endpoint = endpoint;
    this.#end = end;
  }

  static async start(python: string): Promise<Moto> {
    const [port = 0] = await freePorts(1);
    const args = ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)];
    const child = spawn(python, args, { stdio: 'ignore' });
    const exited = once(child, 'exit');
    const endpoint = `http://127.0.0.1:${port}`;
    for (let waitedMs = 0; ; waitedMs += 100) {
      const response = await fetch(`${endpoint}/moto-api/`).catch(() => undefined);
      await response?.arrayBuffer();
      if (response?.ok === true) break;
      if (waitedMs > startTimeoutMs || child.exitCode !== null) {
        child.kill('SIGKILL');
        throw new Error('moto did not start');
      }
      await delay(100);
    }
    return new Moto(endpoint, async () => {
      child.kill('SIGKILL');
      await exited;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }
}
