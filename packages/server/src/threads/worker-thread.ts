import { Worker } from 'node:worker_threads';
import { NodeError } from '../base/errors.ts';
import { type CallMap, type EventMap, RpcClient } from '../base/rpc.ts';
import { threadChannel } from './channel.ts';

/** The entry file of each worker. */
export const workerUrls = {
  ingest: new URL('ingest-worker.ts', import.meta.url),
  storage: new URL('storage-worker.ts', import.meta.url),
} as const;

/**
 * A worker thread of the node. It is expected to live as long as the node: should it end before `terminate`,
 * every call fails and `onFailure` is told once.
 */
export class WorkerThread<Calls extends CallMap, Events extends EventMap> {
  readonly rpc: RpcClient<Calls, Events>;
  readonly #worker: Worker;
  #isTerminating = false;

  constructor(options: {
    url: URL;
    data: unknown;
    name: string;
    onFailure: (error: NodeError) => void;
  }) {
    this.#worker = new Worker(options.url, { workerData: options.data, name: options.name });
    this.rpc = new RpcClient(threadChannel(this.#worker));
    const fail = (cause: unknown): void => {
      if (this.#isTerminating) return;
      this.#isTerminating = true;
      const error = new NodeError('node_internal', `the ${options.name} worker ended`, { cause });
      this.rpc.fail(error);
      options.onFailure(error);
    };
    this.#worker.once('error', fail);
    this.#worker.once('exit', fail);
  }

  async terminate(): Promise<void> {
    this.#isTerminating = true;
    await this.#worker.terminate();
  }
}
