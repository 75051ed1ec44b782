import { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { NodeError } from '../base/errors.ts';
import type { ExecutionTable, PlannedSql, ResultFormat } from './engine/protocol.ts';
import type { QueryEngine } from './engine/query-engine.ts';
import type { RunningQuery } from './engine/running-query.ts';
import { contentTypes, formatRows, type QuerySummary } from './envelope.ts';
import type { ScanGuardMode } from './options.ts';
import { boundPlan, type PrunedTable, type ScanBound, type TableScans } from './plan/bound.ts';
import { narrowNewestFirst } from './plan/newest-first.ts';
import { ThroughputMeter } from './plan/throughput.ts';
import {
  boundDetails,
  exceedsLimit,
  judgeScan,
  roundSeconds,
  scanLimit,
  scanRefused,
  type GuardVerdict,
  type ScanLimit,
  type ScanRequest,
} from './scan-guard.ts';
import { suggestNarrower } from './suggestion.ts';
import type { PinnedFiles, QueryTable } from './table.ts';

export interface QueryRequest extends ScanRequest {
  readonly sql: string;
  /** Answers with the bound and the plan instead of running: then nothing is refused for its size. */
  readonly explain?: boolean;
}

export interface QueryContext {
  /** The tables the caller may see, with the caller's row scope. */
  readonly tables: readonly QueryTable[];
  /** Whose turn in the queue the query takes: a principal, or a name such as `alerts`. */
  readonly owner?: string;
  /** Aborting stops the query wherever it is. */
  readonly signal?: AbortSignal;
}

export interface QueryServiceOptions {
  readonly engine: QueryEngine;
  readonly clock: Clock;
  readonly scanGuard: ScanGuardMode;
}

/** A result on its way. */
export interface QueryResult {
  readonly contentType: string;
  /** Errors when the result is not whole; destroying it stops the query. */
  readonly body: Readable;
  /** Settles with the body; rejects for a result that failed or was cut off. */
  readonly summary: Promise<QuerySummary>;
}

/**
 * Everything between an SQL text and a stream of bytes: checks the statement, bounds what it can read from table
 * metadata alone, refuses it when that is over the limit, and runs it.
 */
export class QueryService {
  readonly #engine: QueryEngine;
  readonly #clock: Clock;
  readonly #mode: ScanGuardMode;
  readonly #throughput = new ThroughputMeter();

  constructor(options: QueryServiceOptions) {
    this.#engine = options.engine;
    this.#clock = options.clock;
    this.#mode = options.scanGuard;
  }

  get load(): { readonly running: number; readonly queued: number } {
    return this.#engine.load;
  }

  /**
   * Checks and bounds a query. No data is read before `stream`. The caller disposes of what it gets, or reads a
   * stream of it to the end. Throws `sql_invalid`, `sql_not_allowed`, `request_malformed`, `scan_limit_exceeded`.
   */
  async run(request: QueryRequest, context: QueryContext): Promise<PreparedQuery> {
    const startedMs = this.#clock.monotonicMs();
    const limit = scanLimit(request);
    const visible = context.tables.map(({ schema, scope }) => ({
      name: schema.name,
      ...(scope === undefined ? {} : { scope }),
    }));
    const plan = await this.#engine.plan(request.sql, visible, context.signal);
    const tables = context.tables.filter(({ schema }) => plan.tables.includes(schema.name));
    const pins = await pinAll(tables);
    try {
      context.signal?.throwIfAborted();
      const scans = tables.map(({ schema }, i) => ({
        table: schema.name,
        files: pins[i]?.files ?? [],
      }));
      const narrowed = narrow(plan, tables, scans);
      const bounded = boundPlan(plan.scans, narrowed.scans, this.#throughput.speed);
      const verdict = judgeScan(bounded.bound, limit, {
        mode: request.explain === true ? 'shadow' : this.#mode,
        confirm: request.confirm === true,
      });
      if (verdict === 'refused') {
        const suggestions = await this.#suggest(
          { plan, limit, visible },
          { tables, scans: narrowed.scans },
        );
        throw scanRefused(bounded.bound, limit, suggestions);
      }
      return new PreparedQuery({
        engine: this.#engine,
        clock: this.#clock,
        throughput: this.#throughput,
        plan,
        bound: bounded.bound,
        verdict,
        limit,
        tables: executionTables(tables, bounded.tables, narrowed.edge),
        pins,
        context,
        startedMs,
      });
    } catch (error) {
      for (const pin of pins) pin.release();
      throw error;
    }
  }

  #suggest(
    query: {
      readonly plan: PlannedSql;
      readonly limit: ScanLimit;
      readonly visible: readonly { readonly name: string }[];
    },
    data: { readonly tables: readonly QueryTable[]; readonly scans: readonly TableScans[] },
  ): ReturnType<typeof suggestNarrower> {
    return suggestNarrower(query.plan, {
      narrow: (edits) => this.#engine.narrow(query.plan.body, edits),
      plan: (sql) => this.#engine.plan(sql, query.visible),
      passes: (bound) => !exceedsLimit(bound, query.limit),
      tables: data.scans,
      timeColumns: Object.fromEntries(
        data.tables.map(({ schema }) => [schema.name, schema.timeColumn]),
      ),
      speed: this.#throughput.speed,
    });
  }
}

async function pinAll(tables: readonly QueryTable[]): Promise<PinnedFiles[]> {
  const outcomes = await Promise.allSettled(tables.map(({ source }) => source.pin()));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  const pins = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value] : [],
  );
  if (failed === undefined) return pins;
  for (const pin of pins) pin.release();
  throw failed.reason;
}

type Edge = Pick<ExecutionTable, 'fromNs' | 'toNs'>;

function narrow(
  plan: PlannedSql,
  tables: readonly QueryTable[],
  scans: readonly TableScans[],
): { readonly scans: readonly TableScans[]; readonly edge: Edge } {
  const wanted = plan.newestFirst;
  const table = tables.find(({ schema }) => schema.name === wanted?.table);
  const own = scans.find((scan) => scan.table === wanted?.table);
  if (wanted === undefined || table === undefined || own === undefined) return { scans, edge: {} };
  const { files, edgeNs } = narrowNewestFirst(own.files, wanted, table.schema.timeColumn);
  if (edgeNs === undefined) return { scans, edge: {} };
  return {
    scans: [{ table: own.table, files }],
    edge: wanted.direction === 'newest' ? { fromNs: String(edgeNs) } : { toNs: String(edgeNs) },
  };
}

function executionTables(
  tables: readonly QueryTable[],
  pruned: readonly PrunedTable[],
  edge: Edge,
): ExecutionTable[] {
  return tables.map(({ schema, scope }) => ({
    name: schema.name,
    ...(scope === undefined ? {} : { scope }),
    ...edge,
    paths: pruned.find(({ table }) => table === schema.name)?.files.map(({ path }) => path) ?? [],
  }));
}

interface PreparedParts {
  readonly engine: QueryEngine;
  readonly clock: Clock;
  readonly throughput: ThroughputMeter;
  readonly plan: PlannedSql;
  readonly bound: ScanBound;
  readonly verdict: GuardVerdict;
  readonly limit: ScanLimit;
  readonly tables: readonly ExecutionTable[];
  readonly pins: readonly PinnedFiles[];
  readonly context: QueryContext;
  readonly startedMs: number;
}

/** A query that may run. It holds its files until it is disposed of or its stream has ended. */
export class PreparedQuery {
  readonly #parts: PreparedParts;
  #isReleased = false;
  #isStarted = false;

  constructor(parts: PreparedParts) {
    this.#parts = parts;
  }

  get columns(): readonly { readonly name: string; readonly type: string }[] {
    return this.#parts.plan.columns.map(({ name, type }) => ({ name, type }));
  }

  get bound(): ScanBound {
    return this.#parts.bound;
  }

  get verdict(): GuardVerdict {
    return this.#parts.verdict;
  }

  /** The answer to `explain: true`. */
  explain(): Readonly<Record<string, unknown>> {
    const { plan, bound, limit } = this.#parts;
    return {
      columns: this.columns,
      bound: boundDetails(bound),
      limit: { bytes: limit.bytes, seconds: limit.seconds ?? null },
      within_limit: !exceedsLimit(bound, limit),
      plan: plan.tree,
    };
  }

  /**
   * Runs the query, once. Resolves when the first rows are there or the query has ended without any; what fails
   * before that is thrown here: `query_queue_timeout`, `query_timeout`, `query_out_of_memory`,
   * `query_engine_failed`, or `sql_invalid` for a value that does not convert.
   */
  async stream(format: ResultFormat): Promise<QueryResult> {
    if (this.#isStarted) throw new NodeError('node_internal', 'a prepared query runs once');
    this.#isStarted = true;
    const { engine, plan, bound, tables, context } = this.#parts;
    const timeoutMs = this.#timeoutMs();
    let running: RunningQuery;
    try {
      running = await engine.execute(
        { body: plan.body, columns: plan.columns, format, tables, weight: bound.bytes },
        {
          owner: context.owner ?? '',
          ...(context.signal === undefined ? {} : { signal: context.signal }),
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
        },
      );
    } catch (error) {
      this.#release();
      throw error;
    }
    const summary = this.#summarise(running);
    const rows = formatRows(format, {
      columns: plan.columns,
      chunks: running.chunks(),
      summary: () => summary,
    });
    const body = Readable.from(rows, { objectMode: false, highWaterMark: 256 * 1024 });
    body.once('close', () =>
      running.stop(new DOMException('the query was cancelled', 'AbortError')),
    );
    return { contentType: contentTypes[format], body, summary };
  }

  [Symbol.dispose](): void {
    if (!this.#isStarted) this.#release();
  }

  /** Only a query held to a limit is stopped by it. */
  #timeoutMs(): number | undefined {
    const { limit, verdict } = this.#parts;
    return limit.seconds === undefined || verdict !== 'within_limit'
      ? undefined
      : limit.seconds * 1000;
  }

  #summarise(running: RunningQuery): Promise<QuerySummary> {
    const { bound, clock, startedMs, throughput } = this.#parts;
    const runMs = clock.monotonicMs();
    const summary = running.summary.then(({ rows, readBytes }) => {
      const endedMs = clock.monotonicMs();
      // The system's count also holds signals between threads and what was spilled and read back.
      const read = Math.min(readBytes ?? bound.bytes, bound.bytes);
      throughput.record(read, (endedMs - runMs) / 1000);
      return {
        rows,
        ...(readBytes === undefined ? {} : { processReadBytes: readBytes }),
        scan: {
          bound_bytes: bound.bytes,
          bound_seconds: roundSeconds(bound.seconds),
          read_bytes: read,
          files: bound.files,
          row_groups: bound.rowGroups,
        },
        elapsedSeconds: roundSeconds((endedMs - startedMs) / 1000),
      };
    });
    const release = (): void => this.#release();
    summary.then(release, release);
    return summary;
  }

  #release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    for (const pin of this.#parts.pins) pin.release();
  }
}
