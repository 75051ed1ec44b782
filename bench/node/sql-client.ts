import { Agent, request, type IncomingMessage } from 'node:http';
import type { Health, SqlResponse } from '@varve/contract';

export interface Export {
  readonly rows: number;
  readonly bytes: number;
  readonly elapsedMs: number;
}

export interface SqlClient {
  query(sql: string): Promise<SqlResponse>;
  /** The only value of a result with one row and one column. */
  scalar(sql: string): Promise<number>;
  /** Milliseconds until the answer of `query` is there as a whole; it is not parsed. */
  time(body: Readonly<Record<string, unknown>>): Promise<number>;
  /** Streams a result and counts its rows by their line ends. */
  exportRows(sql: string, format: 'csv' | 'ndjson'): Promise<Export>;
  health(): Promise<Health>;
  close(): void;
}

/** Talks to the API port over one kept-alive connection, as any client would. */
export function openSqlClient(address: { host: string; port: number }): SqlClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const call = (method: string, path: string, body?: unknown): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const outgoing = request({ ...address, agent, method, path, headers }, resolve);
      outgoing.on('error', reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const readText = async (incoming: IncomingMessage): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    if (incoming.statusCode !== 200) throw new Error(`answered ${incoming.statusCode}: ${text}`);
    return text;
  };
  const query = async (sql: string): Promise<SqlResponse> =>
    JSON.parse(await readText(await call('POST', '/v1/sql', { sql }))) as SqlResponse;
  return {
    query,
    async scalar(sql) {
      const { rows } = await query(sql);
      return Number(rows[0]?.[0]);
    },
    async time(body) {
      const startedMs = performance.now();
      await readText(await call('POST', '/v1/sql', body));
      return performance.now() - startedMs;
    },
    async exportRows(sql, format) {
      const startedMs = performance.now();
      const incoming = await call('POST', `/v1/sql?format=${format}`, { sql });
      if (incoming.statusCode !== 200) await readText(incoming);
      let lines = 0;
      let bytes = 0;
      for await (const chunk of incoming) {
        lines += countLineEnds(chunk as Buffer);
        bytes += (chunk as Buffer).length;
      }
      const rows = format === 'csv' ? lines - 1 : lines;
      return { rows, bytes, elapsedMs: performance.now() - startedMs };
    },
    health: async () => JSON.parse(await readText(await call('GET', '/v1/health'))) as Health,
    close: () => agent.destroy(),
  };
}

const lineEnd = 0x0a;

function countLineEnds(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(lineEnd); at !== -1; at = chunk.indexOf(lineEnd, at + 1)) count += 1;
  return count;
}
