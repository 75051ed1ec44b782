import { useState, type ReactElement } from 'react';
import type { EventRow } from '../api/event-row.ts';
import { writeLosslessJson } from '../api/lossless-json.ts';
import { formatCount, formatTimestamp, type Zone } from '../format/quantity.ts';
import { VisibleText } from './VisibleText.tsx';

export interface EventDetailProps {
  readonly row: EventRow;
  readonly zone: Zone;
  readonly onClose: () => void;
  readonly onFilter: (field: string, value: string, isExcluded: boolean) => void;
}

/** Every field of one event. */
export function EventDetail({ row, zone, onClose, onFilter }: EventDetailProps): ReactElement {
  const [copied, setCopied] = useState('');
  const copy = (what: string, text: string): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(`${what} copied`),
      () => setCopied('the browser refused to copy'),
    );
  };
  return (
    <aside className="detail" aria-label="Event detail">
      <header>
        <h2>Event</h2>
        <button type="button" onClick={() => copy('Body', row.body)}>
          Copy body
        </button>
        <button type="button" onClick={() => copy('JSON', writeLosslessJson(row.json))}>
          Copy JSON
        </button>
        <span role="status">{copied}</span>
        <button type="button" className="close" aria-label="Close detail" onClick={onClose}>
          ✕
        </button>
      </header>
      {row.timestampNs !== undefined && (
        <p className="when">
          <time>{formatTimestamp(row.timestampNs, zone, 9)}</time>
          <span>{zone === 'utc' ? 'UTC' : 'local time'}</span>
          <code>{row.timestampNs.toString()}</code>
        </p>
      )}
      <LongText key={row.key} text={row.body} />
      <h3>Columns</h3>
      <FieldTable fields={[['service', row.service], ...row.columns]} onFilter={onFilter} />
      <h3>
        Attributes <span className="quiet">{formatCount(row.attributes.length)}</span>
      </h3>
      <FieldTable fields={row.attributes} onFilter={onFilter} />
    </aside>
  );
}

interface FieldTableProps {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly onFilter: EventDetailProps['onFilter'];
}

function FieldTable({ fields, onFilter }: FieldTableProps): ReactElement {
  return (
    <table className="fields">
      <tbody>
        {fields.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">
              <VisibleText text={name} />
            </th>
            <td>
              <VisibleText text={value.slice(0, textPageCharacters)} />
              {value.length > textPageCharacters && (
                <span className="quiet"> … {formatCount(value.length)} characters in all</span>
              )}
            </td>
            <td className="actions">
              <button
                type="button"
                aria-label={`Search for this ${name}`}
                title="Search for this value"
                onClick={() => onFilter(name, value, false)}
              >
                +
              </button>
              <button
                type="button"
                aria-label={`Exclude this ${name}`}
                title="Exclude this value"
                onClick={() => onFilter(name, value, true)}
              >
                −
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const textPageCharacters = 20_000;

/** A body may be megabytes long: shown a page at a time. */
function LongText({ text }: { readonly text: string }): ReactElement {
  const [shown, setShown] = useState(textPageCharacters);
  return (
    <>
      <pre className="full-body">
        <VisibleText text={text.slice(0, shown)} />
      </pre>
      {text.length > shown && (
        <p className="quiet">
          {formatCount(shown)} of {formatCount(text.length)} characters{' '}
          <button type="button" onClick={() => setShown(shown * 10)}>
            Show more
          </button>
        </p>
      )}
    </>
  );
}
