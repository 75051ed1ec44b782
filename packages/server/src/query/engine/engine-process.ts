import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { assert } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import { NodeError, type NodeErrorOptions } from '../../base/errors.ts';
import { fromFailure } from './engine-failure.ts';
import { watchMemory } from './memory-watch.ts';
import type { EngineOpenOptions, EngineReply, EngineRequest } from './protocol.ts';

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Running {
  readonly child: ChildProcess;
  readonly waiting: Map<number, Waiting>;
  readonly ready: Promise<unknown>;
}

type Call = Exclude<EngineRequest, { kind: 'open' | 'interrupt' }>;
/** A request without its number, per kind. */
type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;
export type EngineCall = Unnumbered<Call>;

export interface EngineCallHandle {
  readonly id: number;
  readonly result: Promise<unknown>;
}

export interface EngineProcessSettings {
  readonly open: EngineOpenOptions;
  readonly threadPoolSize: number;
  /** The process is ended when it holds more memory than this. */
  readonly maxResidentBytes: number;
  readonly clock: Clock;
  readonly onExit: (reason: Readonly<Record<string, unknown>>) => void;
}

const stderrTailLength = 4096;

/**
 * One query process and the calls that wait for it. When it dies its callers get `query_engine_failed` and the
 * next call starts a new one.
 */
export class EngineProcess {
  readonly #settings: EngineProcessSettings;
  #running: Running | undefined;
  #nextId = 1;
  #isClosed = false;

  constructor(settings: EngineProcessSettings) {
    this.#settings = settings;
  }

  get pid(): number | undefined {
    return this.#running?.child.pid;
  }

  /** Starts the process if it is not running, and waits until it takes calls. */
  async ready(): Promise<void> {
    await this.#current().ready;
  }

  async call(request: EngineCall): Promise<EngineCallHandle> {
    const running = this.#current();
    await running.ready;
    const id = this.#takeId();
    return { id, result: send(running, { ...request, id }) };
  }

  interrupt(id: number): void {
    const running = this.#running;
    if (running?.waiting.has(id) === true) running.child.send({ kind: 'interrupt', id });
  }

  /** Ends the process at once. Its callers fail; the next call starts a new one. */
  kill(): void {
    this.#running?.child.kill('SIGKILL');
    this.#running = undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#running?.child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
  }

  #takeId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  #current(): Running {
    if (this.#isClosed) throw new NodeError('node_not_ready', 'the node is shutting down');
    this.#running ??= this.#start();
    return this.#running;
  }

  #start(): Running {
    const entry = new URL(
      import.meta.url.endsWith('.ts') ? './child.ts' : './child.js',
      import.meta.url,
    );
    const child = fork(fileURLToPath(entry), [], {
      execArgv: ['--max-old-space-size=512'],
      env: { UV_THREADPOOL_SIZE: String(this.#settings.threadPoolSize) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // Constants of predicates are bigints, which JSON does not hold.
      serialization: 'advanced',
    });
    const waiting = new Map<number, Waiting>();
    let stderrTail = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderrTail = (stderrTail + text).slice(-stderrTailLength);
    });
    child.on('message', (reply: EngineReply) => settle(waiting, reply));
    const stopWatch = this.#watch(child, waiting);
    const onGone = (details: Readonly<Record<string, unknown>>): void => {
      stopWatch();
      if (this.#running?.child === child) this.#running = undefined;
      rejectAll(waiting, engineStopped({ internal: details }));
      if (!this.#isClosed) this.#settings.onExit(details);
    };
    child.once('error', (error) => onGone({ error: error.message }));
    child.once('exit', (code, signal) => onGone({ code, signal, stderr: stderrTail }));
    const running: Running = { child, waiting, ready: Promise.resolve() };
    const ready = send(running, { kind: 'open', id: this.#takeId(), options: this.#settings.open });
    ready.catch(() => child.kill('SIGKILL'));
    return { child, waiting, ready };
  }

  #watch(child: ChildProcess, waiting: Map<number, Waiting>): () => void {
    const { maxResidentBytes, clock } = this.#settings;
    if (child.pid === undefined) return () => undefined;
    return watchMemory(child.pid, {
      limitBytes: maxResidentBytes,
      clock,
      isBusy: () => waiting.size > 0,
      onExceeded: (residentBytes) => {
        // Only when one call was under way is it certain whose memory it was.
        const internal = { resident_bytes: residentBytes, limit_bytes: maxResidentBytes };
        rejectAll(
          waiting,
          waiting.size === 1
            ? new NodeError('query_out_of_memory', 'the query needs more memory than it may use', {
                internal,
              })
            : engineStopped({ internal }),
        );
        if (this.#running?.child === child) this.#running = undefined;
        child.kill('SIGKILL');
      },
    });
  }
}

const engineStopped = (options: NodeErrorOptions): NodeError =>
  new NodeError('query_engine_failed', 'the query engine stopped; run the query again', options);

function rejectAll(waiting: Map<number, Waiting>, error: NodeError): void {
  const calls = [...waiting.values()];
  waiting.clear();
  for (const { reject } of calls) reject(error);
}

function send(running: Running, request: EngineRequest): Promise<unknown> {
  assert(!running.waiting.has(request.id), 'call ids are unique');
  return new Promise((resolve, reject) => {
    running.waiting.set(request.id, { resolve, reject });
    running.child.send(request, (error) => {
      if (error === null || !running.waiting.delete(request.id)) return;
      reject(engineStopped({ cause: error }));
    });
  });
}

function settle(waiting: Map<number, Waiting>, reply: EngineReply): void {
  const call = waiting.get(reply.id);
  waiting.delete(reply.id);
  if (reply.kind === 'done') call?.resolve(reply.value);
  else call?.reject(fromFailure(reply.failure));
}
