import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { sendRichRecord } from '../client/otlp-rich-record.ts';
import {
  otlpExporter,
  otlpListener,
  type OtlpOptions,
  type OtlpTransport,
  otlpTransports,
  sendThroughSdk,
} from '../client/otlp.ts';
import type { CheckGroup, GroupChecks } from '../suite/check-list.ts';
import { HeldRequest } from '../suite/held-request.ts';
import type { LogSet } from '../suite/log-set.ts';
import { type Exchange, RecordingProxy } from '../suite/recording-proxy.ts';
import { RunningNode } from '../suite/running-node.ts';
import { quote } from '../suite/sql-client.ts';

const token = 'interop-secret';
const mebibyte = 1024 * 1024;
const maxBodyBytes = 16 * mebibyte;

/** What an exporter reports: HTTP statuses, or status codes of gRPC. */
const httpCodes = { unauthenticated: 401, tooLarge: 413, invalid: 400 };
const grpcCodes = { unauthenticated: 16, tooLarge: 8, invalid: 3 };
const grpcUnavailable = 14;

interface Rig {
  readonly transport: OtlpTransport;
  readonly node: RunningNode;
  readonly codes: typeof httpCodes;
  /** Undefined for gRPC, which the proxy does not speak. */
  readonly proxy: RecordingProxy | undefined;
}

/** What the OpenTelemetry exporters do besides sending, over every transport. */
export function otlpExporterGroups(directory: string): readonly CheckGroup[] {
  return otlpTransports.map((transport) => ({
    name: `otlp-${transport}`,
    run: async (checks) => {
      const open = { directory: join(directory, `otlp-${transport}`) };
      await withRig(open, transport, (rig) => checkOpen(checks, rig));
      const settings = {
        [`ingest.${otlpListener(transport).replace('_', '.')}.tokens`]: token,
        'ingest.max_event_bytes': 64 * 1024,
        'ingest.max_inflight_bytes': maxBodyBytes,
      };
      const guarded = { directory: join(directory, `otlp-${transport}-token`), settings };
      await withRig(guarded, transport, (rig) => checkGuarded(checks, rig));
    },
  }));
}

async function withRig(
  options: Parameters<typeof RunningNode.start>[0],
  transport: OtlpTransport,
  work: (rig: Rig) => Promise<void>,
): Promise<void> {
  await using node = await RunningNode.start(options);
  if (transport === 'grpc') {
    await work({ transport, node, codes: grpcCodes, proxy: undefined });
    return;
  }
  await using proxy = await RecordingProxy.open(node.address(otlpListener(transport)));
  await work({ transport, node, codes: httpCodes, proxy });
}

function lines(name: string, count: number, bytes = 40): LogSet {
  return { name, lines: Array.from({ length: count }, (_, at) => `${at} `.padEnd(bytes, 'x')) };
}

function addressOf({ transport, node, proxy }: Rig): string {
  return proxy?.address ?? node.address(otlpListener(transport));
}

function send(rig: Rig, set: LogSet, options: OtlpOptions = {}): Promise<void> {
  return sendThroughSdk(otlpExporter(rig.transport, addressOf(rig), options), set, {});
}

async function countOf({ node }: Rig, service: string): Promise<unknown> {
  return node.sql.scalar(`SELECT count(*) FROM raw_events WHERE service = ${quote(service)}`);
}

/** What went over the wire since the last call must look like this, where that can be seen. */
function assertExchanges(
  { proxy }: Rig,
  expected: readonly ((exchange: Exchange) => void)[],
): void {
  const exchanges = proxy?.take();
  if (exchanges === undefined) return;
  assert.equal(exchanges.length, expected.length);
  for (const [at, exchange] of exchanges.entries()) expected[at]?.(exchange);
}

const hasStatus =
  (status: number) =>
  (exchange: Exchange): void =>
    assert.equal(exchange.status, status);

/** The exporters fail with an `OTLPExporterError` that has the status as `code`. */
async function rejectsWith(work: Promise<unknown>, code: number): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof Error);
    const found = 'code' in error ? error.code : undefined;
    assert.equal(found, code, `expected code ${code}, got ${found}: ${error}`);
    return true;
  });
}

async function checkOpen(checks: GroupChecks, rig: Rig): Promise<void> {
  const { transport, node, proxy } = rig;
  await checks.check('gzip', async () => {
    await send(rig, lines('zipped', 1000), { compression: CompressionAlgorithm.GZIP });
    for (const { headers } of proxy?.take() ?? [])
      assert.equal(headers['content-encoding'], 'gzip');
    assert.equal(await countOf(rig, 'zipped'), 1000);
  });
  await checks.check('the answer has the type of the request', async () => {
    await send(rig, lines('typed', 1));
    const type = transport === 'json' ? 'application/json' : 'application/x-protobuf';
    assertExchanges(rig, [
      ({ headers, responseHeaders }) => {
        assert.equal(headers['content-type'], type);
        assert.equal(responseHeaders['content-type'], type);
      },
    ]);
    assert.equal(await countOf(rig, 'typed'), 1);
  });
  await checks.check('every kind of attribute, severity, trace and time', async () => {
    const sent = await sendRichRecord(otlpExporter(transport, addressOf(rig)));
    const [row] = await node.sql.rows(
      `SELECT timestamp_ns::VARCHAR, service, body, host, env, namespace, tenant, attributes
       FROM raw_events WHERE service = 'rich'`,
    );
    assert.deepEqual(row, sent);
  });
  await checks.check('log.record.uid makes a repeated record one event', () => sendTwice(rig));
  await checks.check('a body over 16 MiB is refused and not sent again', async () => {
    proxy?.take();
    await rejectsWith(send(rig, lines('large', 18, mebibyte)), rig.codes.tooLarge);
    assertExchanges(rig, [hasStatus(413)]);
    assert.equal(await countOf(rig, 'large'), 0);
    await send(rig, lines('nearly', 15, mebibyte));
    assert.equal(await countOf(rig, 'nearly'), 15);
  });
}

async function sendTwice(rig: Rig): Promise<void> {
  const attributes = { 'log.record.uid': '01JINTEROP' };
  for (const body of ['first', 'second']) {
    const set = { name: 'unique', lines: [body] };
    await sendThroughSdk(otlpExporter(rig.transport, addressOf(rig)), set, attributes);
  }
  const sql = `SELECT body, idempotency_key FROM raw_events WHERE service = 'unique'`;
  const rows = await rig.node.sql.rows(sql);
  assert.deepEqual(
    rows.map(([body]) => body),
    ['first'],
  );
  assert.match(String(rows[0]?.[1]), /01JINTEROP$/);
}

async function checkGuarded(checks: GroupChecks, rig: Rig): Promise<void> {
  const { codes, proxy } = rig;
  const headers = { authorization: `Bearer ${token}` };
  await checks.check('the right token passes, none and a wrong one do not', async () => {
    await send(rig, lines('guarded', 1), { headers });
    await rejectsWith(send(rig, lines('guarded', 1)), codes.unauthenticated);
    const wrong = { authorization: `Bearer ${token}x` };
    await rejectsWith(send(rig, lines('guarded', 1), { headers: wrong }), codes.unauthenticated);
    assertExchanges(rig, [hasStatus(200), hasStatus(401), hasStatus(401)]);
    assert.equal(await countOf(rig, 'guarded'), 1);
  });
  await checks.check('an event over the cap refuses its batch, and nothing is stored', async () => {
    proxy?.take();
    const set = lines('cap', 3);
    const large = { name: set.name, lines: [...set.lines, 'x'.repeat(70_000)] };
    await rejectsWith(send(rig, large, { headers }), codes.invalid);
    assertExchanges(rig, [hasStatus(400)]);
    assert.equal(await countOf(rig, 'cap'), 0);
  });
  await checks.check('back-pressure: sent again later, and stored once', () =>
    repeatsLater(rig, headers),
  );
}

async function repeatsLater(rig: Rig, headers: Record<string, string>): Promise<void> {
  const { node, proxy } = rig;
  proxy?.take();
  const held = await HeldRequest.open({
    url: `http://${node.address('otlp_http')}/v1/logs`,
    bodyBytes: maxBodyBytes - 1000,
    headers,
  });
  let sending = send(rig, lines('patient', 100), { headers });
  sending.catch(() => undefined);
  // This exporter leaves it to its user to send again.
  if (proxy === undefined) await rejectsWith(sending, grpcUnavailable);
  else while (!proxy.statuses.includes(503)) await delay(10);
  assert.equal(await countOf(rig, 'patient'), 0);
  held[Symbol.dispose]();
  if (proxy === undefined) sending = send(rig, lines('patient', 100), { headers });
  await sending;
  assertExchanges(rig, [
    ({ status, responseHeaders }) => {
      assert.equal(status, 503);
      assert.match(String(responseHeaders['retry-after']), /^[1-5]$/);
    },
    hasStatus(200),
  ]);
  assert.equal(await countOf(rig, 'patient'), 100);
}
