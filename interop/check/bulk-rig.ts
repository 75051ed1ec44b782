import {
  type BulkClient,
  type BulkClientName,
  type BulkOptions,
  openBulkClient,
} from '../client/bulk.ts';
import type { RecordingProxy } from '../suite/recording-proxy.ts';
import type { RunningNode } from '../suite/running-node.ts';
import { quote } from '../suite/sql-client.ts';

/** A client, a node, and the wire between them. */
export interface BulkRig {
  readonly name: BulkClientName;
  readonly node: RunningNode;
  readonly proxy: RecordingProxy;
}

/** Runs `work` with a client of its own, closed afterwards. */
export async function withClient<T>(
  { name, proxy }: BulkRig,
  options: BulkOptions,
  work: (client: BulkClient) => Promise<T>,
): Promise<T> {
  const client = openBulkClient(name, proxy.address, options);
  return work(client).finally(() => client.close());
}

/** Number of events with this source. */
export async function countOf({ node }: BulkRig, source: string): Promise<unknown> {
  return node.sql.scalar(`SELECT count(*) FROM raw_events WHERE source = ${quote(source)}`);
}
