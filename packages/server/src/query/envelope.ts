import type { ResultColumn, ResultFormat } from './engine/protocol.ts';

/** What is known of a query once it has ended. */
export interface QuerySummary {
  readonly rows: number;
  readonly scan: Readonly<Record<string, unknown>>;
  /** All the query process read for it, spilled data included; absent where the system does not count. */
  readonly processReadBytes?: number;
  readonly elapsedSeconds: number;
}

export interface RowStream {
  readonly columns: readonly Pick<ResultColumn, 'name' | 'type'>[];
  readonly chunks: AsyncIterable<Buffer>;
  /** Rejects when the rows are not all of the result; awaited before anything says they are. */
  readonly summary: () => Promise<QuerySummary>;
}

export const contentTypes: Readonly<Record<ResultFormat, string>> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

/** The bytes of the answer. A result that fails on the way throws; it never ends as if it were whole. */
export function formatRows(format: ResultFormat, rows: RowStream): AsyncGenerator<Buffer> {
  switch (format) {
    case 'json':
      return jsonEnvelope(rows);
    case 'ndjson':
      return plainRows(rows, undefined);
    case 'csv':
      return plainRows(rows, `${rows.columns.map(({ name }) => csvField(name)).join(',')}\n`);
  }
}

async function* plainRows(rows: RowStream, header: string | undefined): AsyncGenerator<Buffer> {
  if (header !== undefined) yield Buffer.from(header);
  yield* rows.chunks;
  await rows.summary();
}

/** Rows arrive as `[…],` lines; the last comma is held back. */
const rowEndLength = 2;

async function* jsonEnvelope(rows: RowStream): AsyncGenerator<Buffer> {
  const columns = rows.columns.map(({ name, type }) => ({ name, type }));
  let held: Buffer = Buffer.from(`{"columns":${JSON.stringify(columns)},"rows":[`);
  let hasRows = false;
  for await (const chunk of rows.chunks) {
    if (chunk.length === 0) continue;
    if (hasRows && chunk.length < rowEndLength) {
      held = Buffer.concat([held, chunk]);
      continue;
    }
    yield held;
    held = chunk;
    hasRows = true;
  }
  const { rows: rowCount, scan, elapsedSeconds } = await rows.summary();
  yield hasRows ? held.subarray(0, -rowEndLength) : held;
  const tail = { row_count: rowCount, scan, elapsed_seconds: elapsedSeconds };
  yield Buffer.from(`],${JSON.stringify(tail).slice(1)}\n`);
}

const csvField = (name: string): string =>
  /[",\r\n]/.test(name) || name === '' ? `"${name.replaceAll('"', '""')}"` : name;
