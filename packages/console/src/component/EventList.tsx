import { useEffect, useRef, type ReactElement } from 'react';
import type { EventRow } from '../api/event-row.ts';
import { formatTimestamp, type Zone } from '../format/quantity.ts';
import { firstLine } from '../format/visible-text.ts';
import { VisibleText } from './VisibleText.tsx';

export interface EventListProps {
  readonly rows: readonly EventRow[];
  readonly selectedKey: string | undefined;
  readonly zone: Zone;
  readonly onSelect: (key: string) => void;
}

/** The events of a result, newest first, one line each. */
export function EventList({ rows, selectedKey, zone, onSelect }: EventListProps): ReactElement {
  const selected = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    selected.current?.scrollIntoView({ block: 'nearest' });
  }, [selectedKey]);

  return (
    <table className="events">
      <thead>
        <tr>
          <th scope="col">Time ({zone === 'utc' ? 'UTC' : 'local'})</th>
          <th scope="col">Level</th>
          <th scope="col">Service</th>
          <th scope="col">Body</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => {
          const isSelected = row.key === selectedKey;
          return (
            <tr
              key={`${row.key}-${index}`}
              ref={isSelected ? selected : undefined}
              className={isSelected ? 'selected' : undefined}
              data-level={levelOf(row.severity)}
              onClick={() => onSelect(row.key)}
            >
              <td className="time">
                <button type="button" aria-pressed={isSelected} title="Show all fields">
                  {row.timestampNs === undefined ? (
                    '–'
                  ) : (
                    <When text={formatTimestamp(row.timestampNs, zone)} />
                  )}
                </button>
              </td>
              <td className="level">
                <VisibleText text={firstLine(row.severity, 8)} />
              </td>
              <td className="service">
                <VisibleText text={firstLine(row.service, 80)} />
              </td>
              <td className="body">
                <VisibleText text={firstLine(row.body)} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Narrow screens show the time of day only. */
function When({ text }: { readonly text: string }): ReactElement {
  const space = text.indexOf(' ') + 1;
  return (
    <>
      <span className="date">{text.slice(0, space)}</span>
      {text.slice(space)}
    </>
  );
}

function levelOf(severity: string): string | undefined {
  if (/^(ERROR|FATAL)/.test(severity)) return 'error';
  if (severity.startsWith('WARN')) return 'warn';
  if (/^(DEBUG|TRACE)/.test(severity)) return 'debug';
  return severity === '' ? undefined : 'info';
}
