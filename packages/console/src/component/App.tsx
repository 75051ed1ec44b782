import { useMemo, useState, type ReactElement } from 'react';
import { ApiClient, apiBaseUrl } from '../api/client.ts';
import { formatSeconds } from '../format/quantity.ts';
import { applyTheme, storedTheme, themes } from '../state/theme.ts';
import { writeUrlState, type UrlState, type View } from '../state/url-state.ts';
import { useHealth, type HealthState } from '../state/use-health.ts';
import { useUrlState, type ChangeUrlState } from '../state/use-url-state.ts';
import { NodePage, Status } from './NodePage.tsx';
import { SearchPage } from './SearchPage.tsx';
import { TokenForm } from './TokenForm.tsx';

const tokenKey = 'varve.token';
const views: readonly { readonly id: View; readonly label: string }[] = [
  { id: 'search', label: 'Search' },
  { id: 'node', label: 'Node' },
];

export function App(): ReactElement {
  const [state, change] = useUrlState();
  const [token, setToken] = useState(() => window.sessionStorage.getItem(tokenKey) ?? undefined);
  const apiUrl = useMemo(() => apiBaseUrl(document.baseURI), []);
  const client = useMemo(() => new ApiClient({ baseUrl: apiUrl, token }), [apiUrl, token]);
  const health = useHealth(client);
  const needsToken = health.problem?.status === 401;

  return (
    <>
      <AppHeader state={state} change={change} health={health} />
      {needsToken ? (
        <TokenForm
          onToken={(given) => {
            window.sessionStorage.setItem(tokenKey, given);
            setToken(given);
          }}
        />
      ) : state.view === 'node' ? (
        <NodePage state={health} />
      ) : (
        <SearchPage client={client} apiUrl={apiUrl} state={state} change={change} health={health} />
      )}
    </>
  );
}

interface AppHeaderProps {
  readonly state: UrlState;
  readonly change: ChangeUrlState;
  readonly health: HealthState;
}

function AppHeader({ state, change, health }: AppHeaderProps): ReactElement {
  const [theme, setTheme] = useState(storedTheme);
  const { latest, problem } = health;
  return (
    <header className="app-header">
      <h1>Varve</h1>
      <nav aria-label="Views">
        {views.map(({ id, label }) => (
          <a
            key={id}
            href={writeUrlState({ ...state, view: id, event: undefined })}
            aria-current={state.view === id ? 'page' : undefined}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              change({ view: id, event: undefined });
            }}
          >
            {label}
          </a>
        ))}
      </nav>
      <span className="node-status">
        {problem !== undefined ? (
          <Status status={latest === undefined ? 'unreachable' : 'not answering'} />
        ) : (
          latest !== undefined && <Status status={latest.health.status} />
        )}
        {latest !== undefined && (
          <span className="quiet">
            version {latest.health.version}, up {formatSeconds(latest.health.uptimeSeconds)}
          </span>
        )}
      </span>
      <button
        type="button"
        aria-pressed={state.zone === 'utc'}
        onClick={() => change({ zone: state.zone === 'utc' ? 'local' : 'utc' }, 'replace')}
      >
        UTC
      </button>
      <label htmlFor="theme">Theme</label>
      <select
        id="theme"
        value={theme}
        onChange={(event) => {
          const chosen = themes.find((each) => each === event.target.value) ?? 'auto';
          applyTheme(chosen);
          setTheme(chosen);
        }}
      >
        <option value="auto">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </header>
  );
}
