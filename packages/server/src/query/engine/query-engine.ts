import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import type { TableSchema } from '../../columns/index.ts';
import type { QueryOptions } from '../options.ts';
import { EngineProcess } from './engine-process.ts';
import { PipePool } from './pipe-pool.ts';
import { PlanCache } from './plan-cache.ts';
import type { Execution, NarrowEdits, PlannedSql, VisibleTable } from './protocol.ts';
import { QueryQueue } from './query-queue.ts';
import { RunningQuery } from './running-query.ts';

export interface QueryEngineOptions {
  readonly query: QueryOptions;
  /** Every table queries can name. */
  readonly schemas: readonly TableSchema[];
  /** A folder of its own for pipes and spill files; emptied at start. */
  readonly workDirectory: string;
  /** Folders that hold data files. Nothing outside them can be read. */
  readonly dataDirectories: readonly string[];
  readonly clock: Clock;
  readonly onEngineExit?: (reason: Readonly<Record<string, unknown>>) => void;
}

export interface ExecuteOptions {
  /** Whose turn in the queue this takes. */
  readonly owner: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Planning is arithmetic over metadata; a statement that needs longer is hostile or folds huge constants. */
const planTimeoutMs = 10_000;
const plannerMemoryBytes = 256 * 1024 * 1024;
/** The process itself, result buffers, and values the engine's own limit does not count. */
const residentHeadroomBytes = 512 * 1024 * 1024;

/**
 * The query processes as the node sees them: one that plans and holds no data, one that executes. Either can
 * die without taking the node with it; the next call starts it again.
 */
export class QueryEngine {
  readonly #planner: EngineProcess;
  readonly #executor: EngineProcess;
  readonly #pipes: PipePool;
  readonly #queue: QueryQueue;
  readonly #clock: Clock;
  readonly #plans = new PlanCache();

  private constructor(options: QueryEngineOptions, pipes: PipePool) {
    const { query, workDirectory, clock } = options;
    const shared = {
      schemas: options.schemas,
      dataDirectories: options.dataDirectories,
      pipeDirectory: join(workDirectory, 'pipes'),
    };
    const onExit = (role: string) => (reason: Readonly<Record<string, unknown>>) =>
      options.onEngineExit?.({ role, ...reason });
    this.#planner = new EngineProcess({
      open: {
        ...shared,
        role: 'planner',
        workDirectory: join(workDirectory, 'planner'),
        memoryLimitBytes: plannerMemoryBytes,
        threads: 1,
      },
      threadPoolSize: 4,
      maxResidentBytes: plannerMemoryBytes + residentHeadroomBytes,
      clock,
      onExit: onExit('planner'),
    });
    this.#executor = new EngineProcess({
      open: {
        ...shared,
        role: 'executor',
        workDirectory: join(workDirectory, 'executor'),
        memoryLimitBytes: query.memory_limit_bytes,
        threads: query.threads,
      },
      // Each running query holds one thread of the pool; interrupts and new connections need others.
      threadPoolSize: query.max_concurrent + 4,
      maxResidentBytes: query.memory_limit_bytes * 1.25 + residentHeadroomBytes,
      clock,
      onExit: onExit('executor'),
    });
    this.#pipes = pipes;
    this.#queue = new QueryQueue(query.max_concurrent, query.queue_timeout_seconds * 1000, clock);
    this.#clock = clock;
  }

  static async open(options: QueryEngineOptions): Promise<QueryEngine> {
    await rm(options.workDirectory, { recursive: true, force: true });
    await mkdir(options.workDirectory, { recursive: true, mode: 0o700 });
    const pipes = await PipePool.open(
      join(options.workDirectory, 'pipes'),
      options.query.max_concurrent,
    );
    const engine = new QueryEngine(options, pipes);
    await Promise.all([engine.#planner.ready(), engine.#executor.ready()]);
    return engine;
  }

  get load(): { readonly running: number; readonly queued: number } {
    return { running: this.#queue.running, queued: this.#queue.queued };
  }

  /** Process ids, for diagnostics. */
  get pids(): { readonly planner: number | undefined; readonly executor: number | undefined } {
    return { planner: this.#planner.pid, executor: this.#executor.pid };
  }

  async plan(
    sql: string,
    tables: readonly VisibleTable[],
    signal?: AbortSignal,
  ): Promise<PlannedSql> {
    const key = JSON.stringify([sql, tables]);
    const cached = this.#plans.get(key);
    if (cached !== undefined) return cached;
    const plan = (await this.#callPlanner({ kind: 'plan', sql, tables }, signal)) as PlannedSql;
    this.#plans.set(key, plan);
    return plan;
  }

  /** The statement with the edits made; undefined when it has no place for them. */
  async narrow(sql: string, edits: NarrowEdits): Promise<string | undefined> {
    const narrowed = await this.#callPlanner({ kind: 'narrow', sql, edits });
    return typeof narrowed === 'string' ? narrowed : undefined;
  }

  /** Runs a planned statement. Resolves when its first rows are there, or it has ended without any. */
  async execute(
    execution: Omit<Execution, 'pipePath'>,
    options: ExecuteOptions,
  ): Promise<RunningQuery> {
    const leave = await this.#queue.enter(options.owner, options.signal);
    let query: RunningQuery;
    try {
      query = await RunningQuery.start(execution, {
        engine: this.#executor,
        pipes: this.#pipes,
        clock: this.#clock,
        onEnd: leave,
      });
    } catch (error) {
      leave();
      throw error;
    }
    this.#limit(query, options);
    await query.firstOutput();
    return query;
  }

  async close(): Promise<void> {
    await Promise.all([this.#planner.close(), this.#executor.close()]);
  }

  #limit(query: RunningQuery, { signal, timeoutMs }: ExecuteOptions): void {
    const onAbort = (): void => query.stop(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    const cancelTimer =
      timeoutMs === undefined
        ? () => undefined
        : this.#clock.after(timeoutMs, () => query.stop(queryTimeout(timeoutMs)));
    const clear = (): void => {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
    };
    query.summary.then(clear, clear);
  }

  async #callPlanner(
    request: Parameters<EngineProcess['call']>[0],
    signal?: AbortSignal,
  ): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      const outcome = await this.#tryPlanner(request);
      if (!('error' in outcome)) return outcome.value;
      // Another statement may have ended the process: once more, then it is this one's doing.
      const isGone =
        outcome.error instanceof NodeError && outcome.error.code === 'query_engine_failed';
      if (!isGone || attempt === 2) throw outcome.error;
    }
  }

  async #tryPlanner(
    request: Parameters<EngineProcess['call']>[0],
  ): Promise<{ readonly value: unknown } | { readonly error: unknown }> {
    let isTooSlow = false;
    let cancelTimer: () => void = () => undefined;
    try {
      const { result } = await this.#planner.call(request);
      cancelTimer = this.#clock.after(planTimeoutMs, () => {
        isTooSlow = true;
        this.#planner.kill();
      });
      return { value: await result };
    } catch (error) {
      const tooSlow = new NodeError(
        'query_timeout',
        'the statement takes too long to plan; simplify it',
      );
      return { error: isTooSlow ? tooSlow : error };
    } finally {
      cancelTimer();
    }
  }
}

const queryTimeout = (timeoutMs: number): NodeError =>
  new NodeError('query_timeout', 'the query ran longer than it may', {
    details: { limit_seconds: timeoutMs / 1000 },
  });
