import type { ReactElement } from 'react';
import type { Problem } from '../api/answer.ts';
import { formatBytes, formatSeconds } from '../format/quantity.ts';

/** A failure in the node's own words. */
export function ProblemNote({ problem }: { readonly problem: Problem }): ReactElement {
  return (
    <div className="note problem" role="alert">
      <strong>{problem.title}</strong>
      {problem.detail !== '' && <p>{problem.detail}</p>}
      <p className="quiet">
        {problem.status !== 0 && <>status {problem.status} </>}
        {problem.code !== undefined && <code>{problem.code}</code>}
        {problem.requestId !== undefined && <> request {problem.requestId}</>}
      </p>
    </div>
  );
}

export interface ScanLimitNoteProps {
  readonly problem: Problem;
  readonly onRunSuggestion: (sql: string) => void;
  readonly onRunAnyway: () => void;
}

/** The node refused to read: how much it would have been, and the ways on. */
export function ScanLimitNote(props: ScanLimitNoteProps): ReactElement | null {
  const { problem, onRunSuggestion, onRunAnyway } = props;
  const { scanLimit } = problem;
  if (scanLimit === undefined) return null;
  const { boundBytes, boundSeconds, limitBytes, limitSeconds, suggestions } = scanLimit;
  return (
    <div className="note limit" role="alert">
      <strong>{problem.title}: nothing was read</strong>
      <p>{problem.detail}</p>
      <p>
        It could read up to <b>{formatBytes(boundBytes)}</b>
        {limitBytes !== undefined && <> (limit {formatBytes(limitBytes)})</>} and take up to{' '}
        <b>{formatSeconds(boundSeconds)}</b>
        {limitSeconds !== undefined && <> (limit {formatSeconds(limitSeconds)})</>}.
      </p>
      {suggestions.map(({ sql, title }) => (
        <div key={sql} className="suggestion">
          <button type="button" onClick={() => onRunSuggestion(sql)}>
            Run this: {title}
          </button>
          <pre>{sql}</pre>
        </div>
      ))}
      <button type="button" onClick={onRunAnyway}>
        Run the whole query anyway
      </button>
    </div>
  );
}
