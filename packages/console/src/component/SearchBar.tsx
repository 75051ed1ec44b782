import { useState, type ReactElement, type Ref } from 'react';
import type { SearchSyntaxError } from '../search/search-node.ts';
import { timeRanges, type TimeRangeId } from '../state/url-state.ts';

export interface SearchBarProps {
  readonly ref: Ref<HTMLInputElement>;
  /** The search that ran; give the bar a new key when it changes. */
  readonly search: string;
  readonly range: TimeRangeId;
  readonly isRunning: boolean;
  readonly syntaxError: SearchSyntaxError | undefined;
  readonly onSubmit: (search: string) => void;
  readonly onRange: (range: TimeRangeId, search: string) => void;
  readonly onCancel: () => void;
}

export function SearchBar(props: SearchBarProps): ReactElement {
  const { ref, search, range, isRunning, syntaxError, onSubmit, onRange, onCancel } = props;
  const [draft, setDraft] = useState(search);
  return (
    <form
      className="search-bar"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(draft.trim());
      }}
    >
      <div className="search-text">
        <label htmlFor="search">Search events</label>
        <input
          id="search"
          ref={ref}
          type="text"
          value={draft}
          autoComplete="off"
          spellCheck={false}
          placeholder='words, "a phrase", service:checkout, -severity:DEBUG'
          aria-invalid={syntaxError !== undefined}
          aria-describedby="search-error"
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        <kbd aria-hidden="true">/</kbd>
      </div>
      <label htmlFor="range">Time range</label>
      <select
        id="range"
        value={range}
        onChange={(event) => {
          const chosen = timeRanges.find((each) => each.id === event.target.value);
          if (chosen !== undefined) onRange(chosen.id, draft.trim());
        }}
      >
        {timeRanges.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      {isRunning ? (
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      ) : (
        <button type="submit" className="primary">
          Run
        </button>
      )}
      <div id="search-error" className="search-error" aria-live="polite">
        {syntaxError !== undefined && (
          <>
            <pre aria-hidden="true">{`${search}\n${' '.repeat(syntaxError.at)}^`}</pre>
            character {syntaxError.at + 1}: {syntaxError.message}
          </>
        )}
      </div>
    </form>
  );
}
