import { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { NodeError } from '../base/errors.ts';
import type { Execution, ExecutionTable, PlannedSql, ResultFormat } from './engine/protocol.ts';
import type { QueryEngine } from './engine/query-engine.ts';
import type { RunningQuery } from './engine/running-query.ts';
import { contentTypes, formatRows, type QuerySummary } from './envelope.ts';
import type { ScanGuardMode } from './options.ts';
import { boundPlan, type PrunedTable, type ScanBound, type TableScans } from './plan/bound.ts';
import type { TableScan } from './plan/explain.ts';
import { noFiles, packFiles } from './plan/file-selection.ts';
import { findNewestEdge } from './plan/newest-edge.ts';
import type { Predicate } from './plan/predicate.ts';
import { ThroughputMeter } from './plan/throughput.ts';
import { TimeSlice } from './plan/time-slice.ts';
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
import { suggestNarrower, type SuggestionSource } from './suggestion.ts';
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
  /** Every query is stopped after this long. */
  readonly maxSeconds?: number | undefined;
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
  readonly #maxSeconds: number;
  readonly #throughput = new ThroughputMeter();

  constructor(options: QueryServiceOptions) {
    this.#engine = options.engine;
    this.#clock = options.clock;
    this.#mode = options.scanGuard;
    this.#maxSeconds = options.maxSeconds ?? Infinity;
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
      const scans = pins.map(({ files }, i) => ({ table: tables[i]?.schema.name ?? '', files }));
      const slice = new TimeSlice(this.#clock);
      const narrowed = await narrow({ plan, tables, scans }, slice);
      const bounding = { speed: this.#throughput.speed, slice };
      const bounded = await boundPlan(narrowed.scans, scans, bounding);
      const verdict = judgeScan(bounded.bound, limit, {
        mode: request.explain === true ? 'shadow' : this.#mode,
        confirm: request.confirm === true,
      });
      if (verdict === 'refused') {
        const suggestions = await this.#suggest(
          { plan, limit, visible },
          { tables, scans, bounding },
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
        maxSeconds: this.#maxSeconds,
        tables,
        pruned: bounded.tables,
        edge: narrowed.edge,
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
    data: {
      readonly tables: readonly QueryTable[];
      readonly scans: readonly TableScans[];
      readonly bounding: SuggestionSource['bounding'];
    },
  ): ReturnType<typeof suggestNarrower> {
    return suggestNarrower(query.plan, {
      narrow: (edits) => this.#engine.narrow(query.plan.body, edits),
      plan: (sql) => this.#engine.plan(sql, query.visible),
      passes: (bound) => !exceedsLimit(bound, query.limit),
      tables: data.scans,
      timeColumns: Object.fromEntries(
        data.tables.map(({ schema }) => [schema.name, schema.timeColumn]),
      ),
      bounding: data.bounding,
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

interface Narrowed {
  readonly scans: readonly TableScan[];
  readonly edge: Edge;
}

/** For the first rows in time order, a condition on the time that keeps what can be among them. */
async function narrow(
  query: {
    readonly plan: PlannedSql;
    readonly tables: readonly QueryTable[];
    readonly scans: readonly TableScans[];
  },
  slice: TimeSlice,
): Promise<Narrowed> {
  const { scans, newestFirst: wanted } = query.plan;
  const table = query.tables.find(({ schema }) => schema.name === wanted?.table);
  const view = query.scans.find((scan) => scan.table === wanted?.table)?.files;
  if (wanted === undefined || wanted.isFiltered || table === undefined || view === undefined) {
    return { scans, edge: {} };
  }
  const { timeColumn } = table.schema;
  const edgeNs = await findNewestEdge(view, wanted, { timeColumn, slice });
  if (edgeNs === undefined) return { scans, edge: {} };
  const isNewest = wanted.direction === 'newest';
  const predicate: Predicate = { column: timeColumn, op: isNewest ? '>=' : '<=', value: edgeNs };
  return {
    scans: scans.map((scan) => ({ ...scan, predicates: [...scan.predicates, predicate] })),
    edge: isNewest ? { fromNs: String(edgeNs) } : { toNs: String(edgeNs) },
  };
}

interface PreparedParts {
  readonly engine: QueryEngine;
  readonly clock: Clock;
  readonly throughput: ThroughputMeter;
  readonly plan: PlannedSql;
  readonly bound: ScanBound;
  readonly verdict: GuardVerdict;
  readonly limit: ScanLimit;
  readonly maxSeconds: number;
  readonly tables: readonly QueryTable[];
  readonly pruned: readonly PrunedTable[];
  readonly edge: Edge;
  readonly pins: readonly PinnedFiles[];
  readonly context: QueryContext;
  readonly startedMs: number;
}

/** A timer for longer would fire at once; no query runs for weeks. */
const longestTimerSeconds = (2 ** 31 - 1) / 1000;

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
    const { engine, context } = this.#parts;
    const timeoutMs = this.#timeoutMs();
    let running: RunningQuery;
    try {
      running = await engine.execute(
        { ...(await this.#execution()), format },
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
      columns: this.#parts.plan.columns,
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

  async #execution(): Promise<Omit<Execution, 'pipePath' | 'format'>> {
    const { plan, bound, tables, pruned, edge, clock } = this.#parts;
    const { body, columns, newestFirst } = plan;
    const keyed = newestFirst?.keyed;
    const slice = new TimeSlice(clock);
    const executionTables: ExecutionTable[] = [];
    for (const { schema, scope } of tables) {
      const selection = pruned.find(({ table }) => table === schema.name)?.files ?? noFiles;
      const timesOf = keyed === undefined ? undefined : schema.timeColumn;
      executionTables.push({
        name: schema.name,
        ...(scope === undefined ? {} : { scope }),
        ...edge,
        files: await packFiles(selection, { timesOf, slice }),
      });
    }
    return {
      body,
      columns,
      tables: executionTables,
      ...(newestFirst === undefined || keyed === undefined
        ? {}
        : { newestFirst: { ...newestFirst, keyed } }),
      weight: bound.bytes,
    };
  }

  /** Only a query held to its limit is stopped by it. */
  #timeoutMs(): number | undefined {
    const { limit, verdict, maxSeconds } = this.#parts;
    const own = verdict === 'within_limit' ? (limit.seconds ?? Infinity) : Infinity;
    const seconds = Math.min(own, maxSeconds);
    return seconds > longestTimerSeconds ? undefined : seconds * 1000;
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
