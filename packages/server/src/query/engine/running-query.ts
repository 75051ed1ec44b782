import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import type { EngineProcess } from './engine-process.ts';
import { openPipeReader, type PipePool } from './pipe-pool.ts';
import type { Execution, ExecutionSummary } from './protocol.ts';

/** An engine that has not stopped a query by then is killed. */
const stopGraceMs = 3000;

export interface RunningQueryParts {
  readonly engine: EngineProcess;
  readonly pipes: PipePool;
  readonly clock: Clock;
  /** Called once when the query has ended on both sides. */
  readonly onEnd: () => void;
}

/**
 * A query the engine is executing, and the pipe its rows come through. The end of the pipe alone does not mean
 * success: only `summary` does, and every reader awaits it before it calls a result complete.
 */
export class RunningQuery {
  readonly summary: Promise<ExecutionSummary>;
  readonly #reader: Socket;
  readonly #id: number;
  readonly #parts: RunningQueryParts;
  #stopReason: Error | undefined;
  #hasOutput = false;
  #isOver = false;

  private constructor(
    handle: { readonly id: number; readonly result: Promise<unknown> },
    io: { readonly reader: Socket; readonly path: string },
    parts: RunningQueryParts,
  ) {
    this.#id = handle.id;
    this.#parts = parts;
    this.#reader = io.reader;
    // Errors reach the consumer through iteration and `summary`.
    this.#reader.on('error', () => undefined);
    this.summary = handle.result.then(
      (value) => {
        this.#isOver = true;
        if (this.#stopReason !== undefined) throw this.#stopReason;
        return value as ExecutionSummary;
      },
      (error: Error) => {
        this.#isOver = true;
        const reason = this.#stopReason ?? error;
        this.#reader.destroy(reason);
        throw reason;
      },
    );
    this.summary.catch(() => undefined);
    void this.#finish(io.path);
  }

  static async start(
    execution: Omit<Execution, 'pipePath'>,
    parts: RunningQueryParts,
  ): Promise<RunningQuery> {
    const path = await parts.pipes.take();
    const reader = openPipeReader(path);
    try {
      const handle = await parts.engine.call({
        kind: 'execute',
        execution: { ...execution, pipePath: path },
      });
      return new RunningQuery(handle, { reader, path }, parts);
    } catch (error) {
      reader.destroy();
      parts.pipes.give(path);
      throw error;
    }
  }

  /** Waits for the first rows or the end, so that a failure before any output is still an ordinary error. */
  async firstOutput(): Promise<void> {
    const readable = new Promise<void>((resolve) => {
      this.#reader.once('readable', resolve);
    });
    await Promise.race([readable, this.summary]);
    this.#hasOutput = this.#reader.readableLength > 0;
    if (this.#stopReason !== undefined) this.#reader.destroy(this.#stopReason);
    // The end of the pipe may arrive before the word of what went wrong.
    if (!this.#hasOutput || this.#stopReason !== undefined) await this.summary;
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of this.#reader) yield chunk as Buffer;
  }

  /** Ends the query; whoever reads it gets the reason. */
  stop(reason: Error): void {
    if (this.#isOver || this.#stopReason !== undefined) return;
    this.#stopReason = reason;
    this.#parts.engine.interrupt(this.#id);
    // Before any output the engine may be about to open its end, which would wait for ever without a reader.
    if (this.#hasOutput) this.#reader.destroy(reason);
    const cancelKill = this.#parts.clock.after(stopGraceMs, () => {
      if (!this.#isOver) this.#parts.engine.kill();
    });
    this.summary.then(cancelKill, cancelKill);
  }

  async #finish(path: string): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      if (this.#reader.closed) resolve();
      else this.#reader.once('close', resolve);
    });
    const isClean = await this.summary.then(
      () => true,
      () => false,
    );
    await closed;
    if (isClean) this.#parts.pipes.give(path);
    else await this.#parts.pipes.discard(path);
    this.#parts.onEnd();
  }
}
