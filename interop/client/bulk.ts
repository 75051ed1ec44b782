import { Client as Elasticsearch9 } from '@elastic/elasticsearch';
import { Client as OpenSearch } from '@opensearch-project/opensearch';
import { Client as Elasticsearch8 } from 'elasticsearch-8';
import type { LogSet } from '../suite/log-set.ts';
import type { Sender } from './sender.ts';

export interface BulkOptions {
  /** `Authorization` as the client itself writes it. */
  readonly auth?: { readonly username: string; readonly password: string };
  readonly apiKey?: string;
  readonly bearer?: string;
  readonly isCompressed?: boolean;
  readonly maxRetries?: number;
}

export interface BulkItem {
  readonly _id?: string | null;
  readonly status: number;
  readonly result?: string;
  readonly error?: { readonly type: string; readonly reason?: string | null };
}

export interface BulkAnswer {
  readonly errors: boolean;
  /** One object for each operation, with the name of the operation as its only key. */
  readonly items: readonly Readonly<Partial<Record<string, BulkItem>>>[];
}

export interface FeedAnswer {
  readonly total: number;
  readonly successful: number;
  readonly failed: number;
  readonly dropped: readonly { readonly status: number; readonly document: unknown }[];
}

export interface FeedRequest {
  readonly documents: readonly object[];
  readonly operation: 'create' | 'index';
  readonly index: string;
  readonly idOf?: (document: object) => string;
  /** Of one batch; the client's own default when absent. */
  readonly flushBytes?: number;
}

/** What the clients have in common, in the words of none of them. */
export interface BulkClient {
  readonly name: string;
  ping(): Promise<boolean>;
  /** `version.number` of `GET /`. */
  info(): Promise<string>;
  /** Actions and documents in turn. */
  bulk(operations: readonly object[]): Promise<BulkAnswer>;
  /** The body as it is, through the client's own transport. */
  bulkText(body: string): Promise<BulkAnswer>;
  /** `helpers.bulk`: the client makes the batches and repeats what may be repeated. */
  feed(request: FeedRequest): Promise<FeedAnswer>;
  close(): Promise<void>;
}

/** The part of the clients that is the same in all of them. */
interface SharedFeeder {
  bulk(options: {
    datasource: object[];
    onDocument: (
      document: object,
    ) => { create: { _index: string; _id?: string } } | { index: { _index: string; _id?: string } };
    onDrop: (drop: { status: number; document: object }) => void;
    flushBytes?: number;
  }): PromiseLike<Omit<FeedAnswer, 'dropped'>>;
}

/** The part of versions 8 and 9 that is the same in both. */
interface SharedElasticsearch {
  readonly helpers: SharedFeeder;
  readonly transport: {
    request(request: { method: string; path: string; bulkBody: string }): Promise<unknown>;
  };
  ping(): Promise<boolean>;
  info(): Promise<{ version: { number: string } }>;
  bulk(request: { operations: object[] }): Promise<BulkAnswer>;
  close(): Promise<void>;
}

async function runFeeder(helpers: SharedFeeder, request: FeedRequest): Promise<FeedAnswer> {
  const { documents, operation, index, idOf, flushBytes } = request;
  const dropped: FeedAnswer['dropped'][number][] = [];
  const stats = await helpers.bulk({
    datasource: [...documents],
    onDocument: (document) => {
      const meta = { _index: index, ...(idOf === undefined ? {} : { _id: idOf(document) }) };
      return operation === 'create' ? { create: meta } : { index: meta };
    },
    onDrop: ({ status, document }) => void dropped.push({ status, document }),
    ...(flushBytes === undefined ? {} : { flushBytes }),
  });
  const { total, successful, failed } = stats;
  return { total, successful, failed, dropped };
}

function elasticsearchClient(
  name: 'elasticsearch-8' | 'elasticsearch-9',
  address: string,
  options: BulkOptions,
): BulkClient {
  const { auth, apiKey, bearer, isCompressed = false, maxRetries = 3 } = options;
  const config = {
    node: `http://${address}`,
    compression: isCompressed,
    maxRetries,
    ...(auth === undefined ? {} : { auth }),
    ...(apiKey === undefined ? {} : { auth: { apiKey } }),
    ...(bearer === undefined ? {} : { auth: { bearer } }),
  };
  const client: SharedElasticsearch =
    name === 'elasticsearch-9' ? new Elasticsearch9(config) : new Elasticsearch8(config);
  return {
    name,
    ping: () => client.ping(),
    info: async () => (await client.info()).version.number,
    bulk: (operations) => client.bulk({ operations: [...operations] }),
    bulkText: async (bulkBody) =>
      (await client.transport.request({ method: 'POST', path: '/_bulk', bulkBody })) as BulkAnswer,
    feed: (request) => runFeeder(client.helpers, request),
    close: () => client.close(),
  };
}

function openSearchClient(address: string, options: BulkOptions): BulkClient {
  const { auth, apiKey, bearer, isCompressed = false, maxRetries = 3 } = options;
  const token = apiKey === undefined ? bearer && `Bearer ${bearer}` : `ApiKey ${apiKey}`;
  const client = new OpenSearch({
    node: `http://${address}`,
    maxRetries,
    ...(isCompressed ? { compression: 'gzip' as const } : {}),
    ...(auth === undefined ? {} : { auth }),
    ...(token === undefined ? {} : { headers: { authorization: token } }),
  });
  return {
    name: 'opensearch',
    ping: async () => (await client.ping()).body,
    info: async () => (await client.info()).body.version.number,
    bulk: async (operations) => (await client.bulk({ body: [...operations] })).body,
    bulkText: async (bulkBody) => {
      const request = { method: 'POST', path: '/_bulk', bulkBody };
      return (await client.transport.request(request)).body as BulkAnswer;
    },
    feed: (request) => runFeeder(client.helpers, request),
    close: () => client.close(),
  };
}

export const bulkClientNames = ['elasticsearch-9', 'elasticsearch-8', 'opensearch'] as const;

export type BulkClientName = (typeof bulkClientNames)[number];

export function openBulkClient(
  name: BulkClientName,
  address: string,
  options: BulkOptions = {},
): BulkClient {
  if (name === 'opensearch') return openSearchClient(address, options);
  return elasticsearchClient(name, address, options);
}

const batchLines = 500;

function documentsOf(set: LogSet, client: string): object[] {
  const startMs = Date.now();
  return set.lines.map((message, seq) => ({
    '@timestamp': new Date(startMs + seq).toISOString(),
    message,
    service: { name: set.name },
    host: { name: 'interop-host' },
    seq,
    client,
  }));
}

async function sendPlain(client: BulkClient, index: string, documents: object[]): Promise<void> {
  for (let at = 0; at < documents.length; at += batchLines) {
    const batch = documents.slice(at, at + batchLines);
    const operations = batch.flatMap((document) => [{ create: { _index: index } }, document]);
    const { errors, items } = await client.bulk(operations);
    if (errors || items.length !== batch.length) {
      throw new Error(`refused: ${JSON.stringify({ errors, items: items.slice(0, 3) })}`);
    }
  }
}

async function sendByFeed(client: BulkClient, index: string, documents: object[]): Promise<void> {
  const answer = await client.feed({
    documents,
    operation: 'index',
    index,
    flushBytes: 256 * 1024,
  });
  if (answer.successful !== documents.length || answer.failed > 0) {
    throw new Error(`refused: ${JSON.stringify(answer).slice(0, 500)}`);
  }
}

export function bulkSenders(): readonly Sender[] {
  return bulkClientNames.flatMap((clientName) =>
    (['plain', 'feed'] as const).map((way): Sender => {
      const name = `${clientName}-${way}`;
      return {
        name,
        source: name,
        listener: 'bulk',
        async send(address, set) {
          const client = openBulkClient(clientName, address);
          const send = way === 'plain' ? sendPlain : sendByFeed;
          await send(client, name, documentsOf(set, name)).finally(() => client.close());
        },
      };
    }),
  );
}
