import { useCallback, useEffect, useState } from 'react';
import { readUrlState, writeUrlState, type UrlState } from './url-state.ts';

export type ChangeUrlState = (change: Partial<UrlState>, mode?: 'push' | 'replace') => void;

/** The state in the address bar; back and forward move through it. */
export function useUrlState(): readonly [UrlState, ChangeUrlState] {
  const [state, setState] = useState(() => readUrlState(window.location.search));

  useEffect(() => {
    const onPopState = (): void => setState(readUrlState(window.location.search));
    window.addEventListener('popstate', onPopState);
    return () => window.removeEventListener('popstate', onPopState);
  }, []);

  const change = useCallback<ChangeUrlState>((part, mode = 'push') => {
    const next = { ...readUrlState(window.location.search), ...part };
    const address = writeUrlState(next);
    if (mode === 'push') window.history.pushState(null, '', address);
    else window.history.replaceState(null, '', address);
    setState(next);
  }, []);

  return [state, change];
}
