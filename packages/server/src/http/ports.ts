import type { Health, SqlFormat, SqlRequest } from '@varve/contract';
import type { Principal } from '../govern/index.ts';

/** One query as the API received it, already validated. */
export type SqlRun = SqlRequest & { readonly format: SqlFormat };

export interface SqlContext {
  /** Aborted when the client goes away or the node gives up draining; the query then stops reading. */
  readonly signal: AbortSignal;
  readonly principal: Principal;
  readonly requestId: string;
  readonly remoteAddress: string;
}

export type SqlOutcome =
  /** The body in the format asked for. A failure while iterating cuts the connection. */
  | { readonly kind: 'rows'; readonly stream: AsyncIterable<Uint8Array> }
  /** Answer to `explain: true`: the bound and the plan; nothing ran. */
  | { readonly kind: 'explained'; readonly explanation: Readonly<Record<string, unknown>> };

export interface SqlService {
  /**
   * Checks, bounds and starts a query.
   * @throws NodeError `sql_invalid`, `sql_not_allowed`, `query_*`, or `scan_limit_exceeded` with
   * `bound`, `limit` and `suggestions` in its details.
   */
  run(run: SqlRun, context: SqlContext): Promise<SqlOutcome>;
}

export type Readiness =
  | { readonly isReady: true }
  /** One short line for people, such as `replaying the log: 3 of 12 segments`. */
  | { readonly isReady: false; readonly reason: string };

export interface HealthSource {
  /** Cheap: load balancers ask every few seconds. */
  readiness(): Readiness;
  health(): Promise<Health>;
}
