import { useState, type ReactElement } from 'react';

/** Asks for the node's token; it is kept for this tab only. */
export function TokenForm({
  onToken,
}: {
  readonly onToken: (token: string) => void;
}): ReactElement {
  const [token, setToken] = useState('');
  return (
    <form
      className="note token"
      onSubmit={(event) => {
        event.preventDefault();
        if (token !== '') onToken(token);
      }}
    >
      <h2>This node asks for a token</h2>
      <label htmlFor="token">Access token</label>
      <input
        id="token"
        type="password"
        autoComplete="current-password"
        value={token}
        onChange={(event) => setToken(event.target.value)}
      />
      <button type="submit" className="primary">
        Continue
      </button>
      <p className="quiet">It is kept in this tab until you close it.</p>
    </form>
  );
}
