import type { Environment } from './env-source.ts';

/** The only place that touches the process environment; everyone else is handed this value. */
export function processEnvironment(): Environment {
  return process.env;
}
