import type { ListenerAccount } from './listener-ledger.ts';

/** A port that takes events, as the node sees it, whatever the transport. */
export interface IngestListener extends AsyncDisposable {
  readonly address: { readonly host: string; readonly port: number };
  account(): ListenerAccount;
  /** Takes a renewed certificate into use for new connections; without TLS it does nothing. */
  reloadTls(): Promise<void>;
  /** Takes no more requests, answers those in flight, then closes all connections, at the latest after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}
