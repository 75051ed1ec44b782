import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { NodeError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { openTestServer, rowsOf, TOKEN } from '../http/server.fixture.ts';
import type { CommandContext } from './command.ts';
import { parseLosslessJson } from './lossless-json.ts';
import { runCli } from './run.ts';
import { formatTable } from './table.ts';

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  argv: readonly string[],
  { env = {}, stdin = '' }: { env?: CommandContext['env']; stdin?: string } = {},
): Promise<Run> {
  const collect = (chunks: string[]): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk.toString());
        done();
      },
    });
  const stdout: string[] = [];
  const stderr: string[] = [];
  const code = await runCli(argv, {
    env,
    stdin: Readable.from([stdin]),
    stdout: collect(stdout),
    stderr: collect(stderr),
    interruption: () => new AbortController().signal,
    onHangup: () => {},
  });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

describe('varve', () => {
  it('shows its commands and exit codes', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Exit codes:');
    expect((await run([])).code).toBe(2);
    expect((await run(['--version'])).stdout).toMatch(/^varve \d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['strat'], /unknown command strat/],
    [['sql'], /give the statement in quotes/],
    [['sql', 'select', '1'], /put the whole statement in quotes/],
    [['sql', 'x', '--format', 'xml'], /unknown format xml/],
    [['sql', 'x', '--max-scan-bytes', 'lots'], /needs a size/],
    [['sql', 'x', '--nope'], /--nope/],
    [['config', 'show'], /unknown action show/],
    [['start', 'now'], /unexpected argument now/],
    [['start', '--data-dir'], /--data-dir needs a value/],
  ])('answers wrong usage %j with exit code 2', async (argv, message) => {
    const { code, stderr } = await run(argv);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('varve config', () => {
  it('exits with 3 and every problem', async () => {
    const env = { VARVE_NOPE: '1' };
    const { code, stderr } = await run(['config', 'check', '--server.lissten', ':0'], { env });
    expect(code).toBe(3);
    expect(stderr).toContain('VARVE_NOPE: unknown variable');
    expect(stderr).toContain('--server.lissten: unknown option, did you mean server.listen?');
  });

  it('prints effective values with secrets redacted', async () => {
    const env = { VARVE_AUTH__QUERY_API_TOKEN: 'hunter2' };
    const { code, stdout } = await run(['config', 'print', '--server.listen=:1'], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('query_api_token: "[redacted]" # VARVE_AUTH__QUERY_API_TOKEN');
    expect(stdout).toContain('listen: "0.0.0.0:1" # --server.listen');
    expect(stdout).not.toContain('hunter2');
  });
});

describe('varve sql', () => {
  const answer = JSON.stringify({
    columns: [
      { name: 'service', type: 'VARCHAR' },
      { name: 'n', type: 'BIGINT' },
    ],
    rows: [
      ['checkout', 12],
      ['a\nb\u001B[31m', '#BIG#'],
    ],
    row_count: 2,
    scan: { read_bytes: 2048 },
    elapsed_seconds: 0.031,
  }).replace('"#BIG#"', '9007199254740993');

  it('shows rows as a table, integers exact', async () => {
    await using server = await openTestServer({ sql: rowsOf(answer), token: new Secret(TOKEN) });
    const env = { VARVE_URL: `http://${server.server.address}`, VARVE_TOKEN: TOKEN };
    const { code, stdout } = await run(['sql', 'select 1', '--max-scan-bytes', '1KiB'], { env });
    expect(stdout).toBe(
      [
        'service                      n',
        '────────────  ────────────────',
        'checkout                    12',
        'a\\nb\\x1b[31m  9007199254740993',
        '(2 rows, 0.031 s, 2 KiB read)',
        '',
      ].join('\n'),
    );
    expect(code).toBe(0);
    expect(server.sqlRuns).toEqual([{ sql: 'select 1', max_scan_bytes: 1024, format: 'json' }]);
  });

  it('passes other formats through as they are, with the statement from stdin', async () => {
    await using server = await openTestServer({ sql: rowsOf('a,b\n', '1,2\n') });
    const url = `http://${server.server.address}`;
    const result = await run(['sql', '-', '--url', url, '--format', 'csv'], { stdin: 'select 2' });
    expect(result).toEqual({ code: 0, stdout: 'a,b\n1,2\n', stderr: '' });
    expect(server.sqlRuns).toEqual([{ sql: 'select 2', format: 'csv' }]);
  });

  it('shows why a query was refused', async () => {
    const details = { bound: { bytes: 9 }, limit: { bytes: 1 } };
    await using server = await openTestServer({
      sql: () => Promise.reject(new NodeError('scan_limit_exceeded', 'narrow it', { details })),
    });
    const { code, stderr } = await run(['sql', 'x', '--url', `http://${server.server.address}`]);
    expect(code).toBe(1);
    expect(stderr).toContain('Scan limit exceeded: narrow it\n  bound: {"bytes":9}');
    expect(stderr).toContain('--confirm');
  });

  it('says which node it cannot reach', async () => {
    const { code, stderr } = await run(['sql', 'x', '--url', 'http://127.0.0.1:1']);
    expect(code).toBe(1);
    expect(stderr).toContain('cannot reach the node at http://127.0.0.1:1');
  });
});

it('reads integers beyond a double exactly and everything else as JSON', () => {
  expect(parseLosslessJson('[9223372036854775807, 1, 1.5, 1e300, "9223372036854775807"]')).toEqual([
    9223372036854775807n,
    1,
    1.5,
    1e300,
    '9223372036854775807',
  ]);
});

it('shows nulls, lists and maps in a table', () => {
  const columns = [{ name: 'm', type: 'MAP(VARCHAR, VARCHAR)' }];
  expect(formatTable(columns, [[{ a: 1n }], [null], [[1]]])).toBe(
    ['m', '─────────', '{"a":"1"}', 'null', '[1]', ''].join('\n'),
  );
});
