import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { sendRichRecord } from '../client/otlp-rich-record.ts';
import {
  type OtlpEncoding,
  type OtlpOptions,
  otlpExporter,
  sendThroughSdk,
} from '../client/otlp.ts';
import type { CheckGroup, GroupChecks } from '../suite/check-list.ts';
import { HeldRequest } from '../suite/held-request.ts';
import type { LogSet } from '../suite/log-set.ts';
import { RecordingProxy } from '../suite/recording-proxy.ts';
import { RunningNode } from '../suite/running-node.ts';
import { quote } from '../suite/sql-client.ts';

const token = 'interop-secret';
const mebibyte = 1024 * 1024;
const maxBodyBytes = 16 * mebibyte;

interface Rig {
  readonly encoding: OtlpEncoding;
  readonly node: RunningNode;
  readonly proxy: RecordingProxy;
}

/** What the OpenTelemetry exporters do besides sending, in both encodings over HTTP. */
export function otlpExporterGroups(directory: string): readonly CheckGroup[] {
  return (['json', 'protobuf'] as const).map((encoding) => ({
    name: `otlp-${encoding}`,
    run: async (checks) => {
      await checkOpen(checks, encoding, join(directory, `otlp-${encoding}`));
      await checkGuarded(checks, encoding, join(directory, `otlp-${encoding}-token`));
    },
  }));
}

function lines(name: string, count: number, bytes = 40): LogSet {
  return { name, lines: Array.from({ length: count }, (_, at) => `${at} `.padEnd(bytes, 'x')) };
}

function send({ encoding, proxy }: Rig, set: LogSet, options: OtlpOptions = {}): Promise<void> {
  return sendThroughSdk(otlpExporter(encoding, proxy.address, options), set, {});
}

async function countOf({ node }: Rig, service: string): Promise<unknown> {
  return node.sql.scalar(`SELECT count(*) FROM raw_events WHERE service = ${quote(service)}`);
}

/** The exporters fail with an `OTLPExporterError` that has the HTTP status as `code`. */
async function rejectsWith(work: Promise<unknown>, status: number): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof Error);
    const found = 'code' in error ? error.code : undefined;
    assert.equal(found, status, `expected status ${status}, got ${error}`);
    return true;
  });
}

async function checkOpen(
  checks: GroupChecks,
  encoding: OtlpEncoding,
  directory: string,
): Promise<void> {
  await using node = await RunningNode.start({ directory });
  await using proxy = await RecordingProxy.open(node.address('otlp_http'));
  const rig: Rig = { encoding, node, proxy };
  await checks.check('gzip', async () => {
    await send(rig, lines('zipped', 1000), { compression: CompressionAlgorithm.GZIP });
    for (const { headers } of proxy.take()) assert.equal(headers['content-encoding'], 'gzip');
    assert.equal(await countOf(rig, 'zipped'), 1000);
  });
  await checks.check('the answer has the type of the request', async () => {
    await send(rig, lines('typed', 1));
    const [exchange] = proxy.take();
    const type = encoding === 'json' ? 'application/json' : 'application/x-protobuf';
    assert.equal(exchange?.headers['content-type'], type);
    assert.equal(exchange?.responseHeaders['content-type'], type);
  });
  await checks.check('every kind of attribute, severity, trace and time', async () => {
    const sent = await sendRichRecord(otlpExporter(encoding, proxy.address));
    const [row] = await node.sql.rows(
      `SELECT timestamp_ns::VARCHAR, source, service, body, host, env, namespace, tenant, attributes
       FROM raw_events WHERE service = 'rich'`,
    );
    assert.deepEqual(row, sent);
  });
  await checks.check('log.record.uid makes a repeated record one event', async () => {
    const attributes = { 'log.record.uid': '01JINTEROP' };
    for (const body of ['first', 'second']) {
      const set = { name: 'unique', lines: [body] };
      await sendThroughSdk(otlpExporter(encoding, proxy.address), set, attributes);
    }
    const sql = `SELECT body, idempotency_key FROM raw_events WHERE service = 'unique'`;
    const rows = await node.sql.rows(sql);
    assert.deepEqual(
      rows.map(([body]) => body),
      ['first'],
    );
    assert.match(String(rows[0]?.[1]), /01JINTEROP$/);
  });
  await checks.check('a body over 16 MiB is 413 and is not sent again', async () => {
    proxy.take();
    await rejectsWith(send(rig, lines('large', 18, mebibyte)), 413);
    assert.deepEqual(proxy.statuses, [413]);
    assert.equal(await countOf(rig, 'large'), 0);
    await send(rig, lines('nearly', 15, mebibyte));
    assert.equal(await countOf(rig, 'nearly'), 15);
  });
}

async function checkGuarded(
  checks: GroupChecks,
  encoding: OtlpEncoding,
  directory: string,
): Promise<void> {
  const settings = {
    'ingest.otlp.http.tokens': token,
    'ingest.max_event_bytes': 64 * 1024,
    'ingest.max_inflight_bytes': maxBodyBytes,
  };
  await using node = await RunningNode.start({ directory, settings });
  await using proxy = await RecordingProxy.open(node.address('otlp_http'));
  const rig: Rig = { encoding, node, proxy };
  const headers = { authorization: `Bearer ${token}` };
  await checks.check(
    'the right token passes, none and a wrong one are 401, not repeated',
    async () => {
      await send(rig, lines('guarded', 1), { headers });
      await rejectsWith(send(rig, lines('guarded', 1)), 401);
      const wrong = { authorization: `Bearer ${token}x` };
      await rejectsWith(send(rig, lines('guarded', 1), { headers: wrong }), 401);
      assert.deepEqual(proxy.statuses, [200, 401, 401]);
      assert.equal(await countOf(rig, 'guarded'), 1);
    },
  );
  await checks.check(
    'an event over the cap is 400 for its batch, and nothing is stored',
    async () => {
      proxy.take();
      const set = lines('cap', 3);
      const large = { name: set.name, lines: [...set.lines, 'x'.repeat(70_000)] };
      await rejectsWith(send(rig, large, { headers }), 400);
      assert.deepEqual(proxy.statuses, [400]);
      assert.equal(await countOf(rig, 'cap'), 0);
    },
  );
  await checks.check('503 is repeated after Retry-After, and stored once', async () => {
    proxy.take();
    const held = await HeldRequest.open({
      url: `http://${node.address('otlp_http')}/v1/logs`,
      bodyBytes: maxBodyBytes - 1000,
      headers,
    });
    const sending = send(rig, lines('patient', 100), { headers });
    sending.catch(() => undefined);
    while (!proxy.statuses.includes(503)) await delay(10);
    held[Symbol.dispose]();
    await sending;
    assert.deepEqual(proxy.statuses, [503, 200]);
    assert.match(String(proxy.exchanges[0]?.responseHeaders['retry-after']), /^[1-5]$/);
    assert.equal(await countOf(rig, 'patient'), 100);
  });
}
