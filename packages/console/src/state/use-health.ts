import { useEffect, useState } from 'react';
import type { Health, Problem } from '../api/answer.ts';
import { problemFrom, type ApiClient } from '../api/client.ts';

export interface HealthSample {
  readonly health: Health;
  readonly atMs: number;
}

export interface HealthState {
  readonly latest: HealthSample | undefined;
  /** The sample before, for rates. */
  readonly previous: HealthSample | undefined;
  /** Why the last refresh failed; `latest` is then old. */
  readonly problem: Problem | undefined;
}

const refreshMs = 5000;

/** The node's health, refreshed while the page is visible. */
export function useHealth(client: ApiClient): HealthState {
  const [state, setState] = useState<HealthState>({
    latest: undefined,
    previous: undefined,
    problem: undefined,
  });

  useEffect(() => {
    const abort = new AbortController();
    const refresh = async (): Promise<void> => {
      if (document.hidden) return;
      try {
        const health = await client.health(
          AbortSignal.any([abort.signal, AbortSignal.timeout(2 * refreshMs)]),
        );
        setState(({ latest }) => ({
          latest: { health, atMs: Date.now() },
          previous: latest,
          problem: undefined,
        }));
      } catch (error) {
        if (!abort.signal.aborted) setState((old) => ({ ...old, problem: problemFrom(error) }));
      }
    };
    const onVisible = (): void => void refresh();
    void refresh();
    const timer = setInterval(onVisible, refreshMs);
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      abort.abort();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [client]);

  return state;
}
