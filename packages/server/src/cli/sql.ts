import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { sqlFormats, type SqlRequest } from '@varve/contract';
import { formatByteSize, parseByteSize } from '../base/byte-size.ts';
import { EXIT, UsageError, type Command, type CommandContext } from './command.ts';
import { parseLosslessJson } from './lossless-json.ts';
import { formatTable, type TableColumn } from './table.ts';

const DEFAULT_URL = 'http://127.0.0.1:18080';

const USAGE = `usage: varve sql [options] "SELECT …"   (or - to read the statement from stdin)

Runs one SELECT on a node.

  --url URL                 address of the node (or VARVE_URL; ${DEFAULT_URL})
  --token TOKEN             API token (better: VARVE_TOKEN, which other users cannot see)
  --format FORMAT           table (default), json, ndjson or csv
  --max-scan-bytes SIZE     most data the query may read, such as 10GiB
  --max-scan-seconds N      most seconds it may take
  --confirm                 run it although it exceeds its limit
  --explain                 show the bound and the plan, run nothing
`;

export const sqlCommand: Command = {
  name: 'sql',
  summary: 'run a query on a node',
  run: runSql,
};

async function runSql(argv: readonly string[], context: CommandContext): Promise<number> {
  const args = parseSqlArgs(argv);
  if (args.values.help === true) {
    context.stdout.write(USAGE);
    return EXIT.ok;
  }
  const format = args.values.format ?? 'table';
  if (format !== 'table' && !sqlFormats.some((known) => known === format)) {
    throw new UsageError(`unknown format ${format}; use table, ${sqlFormats.join(', ')}`);
  }
  const request = await toRequest(args, context);
  const response = await post(args, request, context);
  if (!response.ok) {
    context.stderr.write(formatProblem(response.status, await response.text()));
    return EXIT.failed;
  }
  if (request.explain === true) {
    context.stdout.write(`${JSON.stringify(await response.json(), undefined, 2)}\n`);
  } else if (format === 'table') {
    context.stdout.write(formatAnswer(await response.text()));
  } else {
    await copyBody(response, context);
  }
  return EXIT.ok;
}

type SqlArgs = ReturnType<typeof parseSqlArgs>;

function parseSqlArgs(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  return parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      url: text,
      token: text,
      format: text,
      'max-scan-bytes': text,
      'max-scan-seconds': text,
      confirm: flag,
      explain: flag,
      help: { type: 'boolean', short: 'h' },
    },
  });
}

async function toRequest(
  { values, positionals }: SqlArgs,
  context: CommandContext,
): Promise<SqlRequest> {
  const [statement, ...extra] = positionals;
  if (statement === undefined) throw new UsageError('give the statement in quotes, or - for stdin');
  if (extra.length > 0) throw new UsageError('put the whole statement in quotes');
  const request: SqlRequest = { sql: statement === '-' ? await readAll(context.stdin) : statement };
  const maxBytes = values['max-scan-bytes'];
  if (maxBytes !== undefined) {
    const bytes = parseByteSize(maxBytes);
    if (bytes === undefined) throw new UsageError('--max-scan-bytes needs a size such as 10GiB');
    request.max_scan_bytes = bytes;
  }
  const maxSeconds = values['max-scan-seconds'];
  if (maxSeconds !== undefined) {
    const seconds = Number(maxSeconds);
    if (!(seconds > 0)) throw new UsageError('--max-scan-seconds needs a number above 0');
    request.max_scan_seconds = seconds;
  }
  if (values.confirm === true) request.confirm = true;
  if (values.explain === true) request.explain = true;
  return request;
}

async function post(
  { values }: SqlArgs,
  request: SqlRequest,
  context: CommandContext,
): Promise<Response> {
  const base = values.url ?? context.env['VARVE_URL'] ?? DEFAULT_URL;
  const format = values.format === undefined || values.format === 'table' ? 'json' : values.format;
  if (!URL.canParse('/v1/sql', base)) throw new UsageError(`${base} is not the URL of a node`);
  const url = new URL(`/v1/sql?format=${format}`, base);
  const token = values.token ?? context.env['VARVE_TOKEN'];
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const body = JSON.stringify(request);
  try {
    return await fetch(url, { method: 'POST', headers, body });
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new Error(`cannot reach the node at ${url.origin}${code}; set --url`, { cause: error });
  }
}

async function copyBody(response: Response, { stdout }: CommandContext): Promise<void> {
  for await (const chunk of response.body ?? []) {
    if (!stdout.write(chunk)) await once(stdout, 'drain');
  }
}

function formatAnswer(text: string): string {
  const answer = parseLosslessJson(text) as {
    readonly columns: readonly TableColumn[];
    readonly rows: readonly (readonly unknown[])[];
    readonly scan?: { readonly read_bytes?: number };
    readonly elapsed_seconds?: number;
  };
  const count = answer.rows.length === 1 ? '1 row' : `${answer.rows.length} rows`;
  const read = answer.scan?.read_bytes;
  const facts = [
    count,
    ...(answer.elapsed_seconds === undefined ? [] : [`${answer.elapsed_seconds.toFixed(3)} s`]),
    ...(read === undefined ? [] : [`${formatByteSize(read)} read`]),
  ];
  return `${formatTable(answer.columns, answer.rows)}(${facts.join(', ')})\n`;
}

/** A problem document as people read it; any other body as it is. */
function formatProblem(status: number, text: string): string {
  const problem = tryParse(text);
  if (problem === undefined) return `the node answered ${status}: ${text.slice(0, 500)}\n`;
  const { type: _, title, status: __, code, detail, request_id: requestId, ...rest } = problem;
  const lines = [`${String(title)}: ${String(detail)}`];
  for (const [name, value] of Object.entries(rest)) {
    lines.push(`  ${name}: ${JSON.stringify(value)}`);
  }
  if (code === 'scan_limit_exceeded') lines.push('  --confirm runs it all the same');
  lines.push(`  code: ${String(code)}, request id: ${String(requestId)}`);
  return `${lines.join('\n')}\n`;
}

function tryParse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

async function readAll(stream: AsyncIterable<string | Uint8Array>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
