import { useCallback, useEffect, useMemo, useRef, type ReactElement } from 'react';
import type { ApiClient } from '../api/client.ts';
import type { EventRow } from '../api/event-row.ts';
import { fieldTerm } from '../search/compile-search.ts';
import type { UrlState } from '../state/url-state.ts';
import type { HealthState } from '../state/use-health.ts';
import { useKeys } from '../state/use-keys.ts';
import { useSearch } from '../state/use-search.ts';
import type { ChangeUrlState } from '../state/use-url-state.ts';
import { EventDetail } from './EventDetail.tsx';
import { EventList } from './EventList.tsx';
import { FirstEventHelp } from './FirstEventHelp.tsx';
import { ProblemNote, ScanLimitNote } from './ProblemNote.tsx';
import { ResultSummary } from './ResultSummary.tsx';
import { SearchBar } from './SearchBar.tsx';

export interface SearchPageProps {
  readonly client: ApiClient;
  readonly apiUrl: string;
  readonly state: UrlState;
  readonly change: ChangeUrlState;
  readonly health: HealthState;
}

const noRows: readonly EventRow[] = [];

export function SearchPage({
  client,
  apiUrl,
  state,
  change,
  health,
}: SearchPageProps): ReactElement {
  const [search, actions] = useSearch(client);
  const input = useRef<HTMLInputElement>(null);
  const { run, runSql, cancel } = actions;

  // The address decides what runs: on load, on submit, on back and forward.
  useEffect(() => {
    run(state.search, state.range);
  }, [run, state.search, state.range]);

  const submit = useCallback(
    (text: string): void => {
      if (text === state.search) run(text, state.range);
      else change({ search: text, event: undefined });
    },
    [run, change, state.search, state.range],
  );

  const rows = search.result?.rows ?? noRows;
  const index = rows.findIndex((row) => row.key === state.event);
  const selected = rows[index];
  const select = useCallback(
    (key: string | undefined): void => change({ event: key }, 'replace'),
    [change],
  );
  const keys = useMemo(
    () => ({
      '/': () => input.current?.select(),
      j: () => select(rows[Math.min(rows.length - 1, index + 1)]?.key),
      k: () => select(rows[Math.max(0, index - 1)]?.key),
      Escape: () => select(undefined),
    }),
    [rows, index, select],
  );
  useKeys(keys);

  const filter = (field: string, value: string, isExcluded: boolean): void =>
    submit(`${state.search} ${isExcluded ? '-' : ''}${fieldTerm(field, value)}`.trim());

  const { problem, refusedSql } = search;
  const isEmptyNode =
    rows.length === 0 &&
    search.result !== undefined &&
    health.latest?.health.tableEvents === 0 &&
    health.latest.health.listeners.every((listener) => listener.stored === 0);

  return (
    <main className="search-page">
      <SearchBar
        ref={input}
        key={state.search}
        search={state.search}
        range={state.range}
        isRunning={search.isRunning}
        syntaxError={search.syntaxError}
        onSubmit={(text) => {
          submit(text);
          // So that j and k move through the events at once; / comes back.
          input.current?.blur();
        }}
        onRange={(range, text) => change({ range, search: text, event: undefined })}
        onCancel={cancel}
      />
      {problem !== undefined &&
        (problem.scanLimit !== undefined && refusedSql !== undefined ? (
          <ScanLimitNote
            problem={problem}
            onRunSuggestion={(sql) => runSql(sql, false)}
            onRunAnyway={() => runSql(refusedSql, true)}
          />
        ) : (
          <ProblemNote problem={problem} />
        ))}
      <ResultSummary search={search} />
      {isEmptyNode && (
        <FirstEventHelp listeners={health.latest?.health.listeners ?? []} apiUrl={apiUrl} />
      )}
      {search.result !== undefined && rows.length === 0 && !isEmptyNode && !search.isRunning && (
        <NothingFound />
      )}
      {state.event !== undefined && selected === undefined && rows.length > 0 && (
        <p className="note">The event this address names is not among the events below.</p>
      )}
      <div className={selected === undefined ? 'results' : 'results with-detail'}>
        {rows.length > 0 && (
          <div className="scroll">
            <EventList rows={rows} selectedKey={state.event} zone={state.zone} onSelect={select} />
          </div>
        )}
        {selected !== undefined && (
          <EventDetail
            row={selected}
            zone={state.zone}
            onClose={() => select(undefined)}
            onFilter={filter}
          />
        )}
      </div>
    </main>
  );
}

function NothingFound(): ReactElement {
  return (
    <section className="note">
      <h2>No event matches in this time range</h2>
      <p>
        Words and phrases look in the body only. For other fields write <code>field:value</code>,
        such as <code>service:checkout</code>, <code>trace_id:4bf9…*</code> or{' '}
        <code>duration_ms:&gt;500</code>; or take a longer time range.
      </p>
    </section>
  );
}
