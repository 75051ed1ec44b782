import { useCallback, useEffect, useRef, useState } from 'react';
import type { Problem, Scan } from '../api/answer.ts';
import { problemFrom, type ApiClient } from '../api/client.ts';
import { readEventRows, type EventRow } from '../api/event-row.ts';
import { compileSearch, type CompiledSearch, type TimeBounds } from '../search/compile-search.ts';
import { SearchSyntaxError } from '../search/search-node.ts';
import { timeRanges, type TimeRangeId } from './url-state.ts';

export interface SearchResult {
  readonly rows: readonly EventRow[];
  readonly scan: Scan;
  readonly elapsedSeconds: number;
  readonly sql: string;
}

/** How many events match in all: it may arrive later than the rows, or fail on its own. */
export type MatchCount =
  | { readonly kind: 'counting' }
  | { readonly kind: 'counted'; readonly matches: number; readonly scan: Scan }
  | { readonly kind: 'failed'; readonly problem: Problem }
  /** The person runs a query of their own choice, which has no count. */
  | { readonly kind: 'unknown' };

export interface SearchState {
  readonly isRunning: boolean;
  readonly result: SearchResult | undefined;
  readonly count: MatchCount;
  readonly problem: Problem | undefined;
  readonly syntaxError: SearchSyntaxError | undefined;
  /** The query that met the scan limit, to run after all. */
  readonly refusedSql: string | undefined;
}

export interface SearchActions {
  readonly run: (search: string, range: TimeRangeId) => void;
  /** Runs one statement: a suggestion, or the refused query with the limit set aside. */
  readonly runSql: (sql: string, confirm: boolean) => void;
  readonly cancel: () => void;
}

const idle: SearchState = {
  isRunning: false,
  result: undefined,
  count: { kind: 'unknown' },
  problem: undefined,
  syntaxError: undefined,
  refusedSql: undefined,
};

export function useSearch(client: ApiClient): readonly [SearchState, SearchActions] {
  const [state, setState] = useState(idle);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = useCallback((): AbortSignal => {
    running.current?.abort();
    running.current = new AbortController();
    return running.current.signal;
  }, []);

  const fetchRows = useCallback(
    async (sql: string, confirm: boolean, signal: AbortSignal): Promise<void> => {
      try {
        const answer = await client.sql(confirm ? { sql, confirm } : { sql }, signal);
        if (signal.aborted) return;
        const { scan, elapsedSeconds } = answer;
        const result = { rows: readEventRows(answer), scan, elapsedSeconds, sql };
        setState((old) => ({ ...old, isRunning: false, result }));
      } catch (error) {
        if (signal.aborted) return;
        setState({ ...idle, problem: problemFrom(error), refusedSql: sql });
        running.current?.abort();
      }
    },
    [client],
  );

  const fetchCount = useCallback(
    async (sql: string, signal: AbortSignal): Promise<void> => {
      let count: MatchCount;
      try {
        const answer = await client.sql({ sql }, signal);
        const matches = Number(answer.rows[0]?.[0] ?? NaN);
        count = { kind: 'counted', matches, scan: answer.scan };
      } catch (error) {
        count = { kind: 'failed', problem: problemFrom(error) };
      }
      if (!signal.aborted) setState((old) => ({ ...old, count }));
    },
    [client],
  );

  const run = useCallback(
    (search: string, range: TimeRangeId): void => {
      const signal = start();
      let compiled: CompiledSearch;
      try {
        compiled = compileSearch(search, boundsOf(range, Date.now()));
      } catch (error) {
        if (!(error instanceof SearchSyntaxError)) throw error;
        setState({ ...idle, syntaxError: error });
        return;
      }
      setState((old) => ({
        ...idle,
        isRunning: true,
        result: old.result,
        count: { kind: 'counting' },
      }));
      void fetchRows(compiled.rowsSql, false, signal);
      void fetchCount(compiled.countSql, signal);
    },
    [start, fetchRows, fetchCount],
  );

  const runSql = useCallback(
    (sql: string, confirm: boolean): void => {
      const signal = start();
      setState((old) => ({ ...idle, isRunning: true, result: old.result }));
      void fetchRows(sql, confirm, signal);
    },
    [start, fetchRows],
  );

  const cancel = useCallback((): void => {
    running.current?.abort();
    setState((old) => ({ ...old, isRunning: false, count: { kind: 'unknown' } }));
  }, []);

  return [state, { run, runSql, cancel }];
}

/** A relative range as it stands now. */
function boundsOf(range: TimeRangeId, nowMs: number): TimeBounds | undefined {
  const seconds = timeRanges.find((each) => each.id === range)?.seconds;
  if (seconds === undefined) return undefined;
  const toNs = BigInt(nowMs) * 1_000_000n;
  return { fromNs: toNs - BigInt(seconds) * 1_000_000_000n, toNs };
}
