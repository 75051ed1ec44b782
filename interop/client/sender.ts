import type { LogSet } from '../suite/log-set.ts';

/** One way in which a client of others sends lines. */
export interface Sender {
  /** Attribute `client` of everything it sends. */
  readonly name: string;
  /** Column `source` of everything it sends. */
  readonly source: string;
  /** Listener it sends to, by the name the node gives it. */
  readonly listener: string;
  /** Sends each line once, as an event with the line's number as attribute `seq`; rejects when one was refused. */
  send(address: string, set: LogSet): Promise<void>;
}
