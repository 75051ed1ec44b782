import type { ReactElement } from 'react';
import { formatBytes, formatCount, formatSeconds } from '../format/quantity.ts';
import { rowLimit } from '../search/compile-search.ts';
import type { MatchCount, SearchState } from '../state/use-search.ts';

/** How much of the answer is on the page, and what it took to find. */
export function ResultSummary({ search }: { readonly search: SearchState }): ReactElement {
  const { result, count, isRunning } = search;
  return (
    <div className="summary">
      <span role="status">
        {isRunning ? 'Searching…' : result && shown(result.rows.length, count)}
      </span>
      {result !== undefined && !isRunning && (
        <>
          <span className="quiet">
            read {formatBytes(result.scan.readBytes)} of at most{' '}
            {formatBytes(result.scan.boundBytes)} in {formatCount(result.scan.files)} files,{' '}
            {formatSeconds(result.elapsedSeconds)}
          </span>
          <details>
            <summary>SQL</summary>
            <pre>{result.sql}</pre>
          </details>
        </>
      )}
    </div>
  );
}

function shown(rows: number, count: MatchCount): string {
  const events = rows === 1 ? 'event' : 'events';
  switch (count.kind) {
    case 'counted':
      return rows < count.matches
        ? `${formatCount(rows)} newest of ${formatCount(count.matches)} events`
        : `${formatCount(rows)} ${events}`;
    case 'counting':
      return rows < rowLimit
        ? `${formatCount(rows)} ${events}`
        : `${rowLimit} newest, counting the rest…`;
    case 'failed':
      return rows < rowLimit
        ? `${formatCount(rows)} ${events}`
        : `${rowLimit} newest of an unknown number (${count.problem.title.toLowerCase()})`;
    case 'unknown':
      return `${formatCount(rows)} ${events}${rows < rowLimit ? '' : ', possibly more'}`;
  }
}
