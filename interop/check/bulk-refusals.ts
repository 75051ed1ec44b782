import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BulkClient, BulkClientName, BulkOptions } from '../client/bulk.ts';
import type { GroupChecks } from '../suite/check-list.ts';
import { HeldRequest } from '../suite/held-request.ts';
import { RecordingProxy } from '../suite/recording-proxy.ts';
import { RunningNode } from '../suite/running-node.ts';
import { type BulkRig, countOf, withClient } from './bulk-rig.ts';

const token = 'interop-secret';
const otherToken = 'another-secret';
const mebibyte = 1024 * 1024;
/** Versions before 9 repeat at once, without a pause. */
const manyRetries = 500;

/** A node that wants a token and holds little at once. */
export async function checkRefusals(
  checks: GroupChecks,
  { name, directory }: { name: BulkClientName; directory: string },
): Promise<void> {
  const settings = {
    'ingest.bulk.tokens': `${token},${otherToken}`,
    'ingest.max_inflight_bytes': mebibyte,
    'ingest.max_event_bytes': 64 * 1024,
  };
  await using node = await RunningNode.start({
    directory: join(directory, `${name}-token`),
    settings,
  });
  await using proxy = await RecordingProxy.open(node.address('bulk'));
  const rig: BulkRig = { name, node, proxy };
  await checkTokens(checks, rig);
  const right: BulkOptions = { auth: { username: 'anyone', password: token } };
  await checks.check('a body over the limit is 413 and is not sent again', () =>
    withClient(rig, right, (client) => bodyTooLarge(client, rig)),
  );
  await checks.check('an event over the cap is 400 for its batch, and nothing is stored', () =>
    withClient(rig, right, (client) => eventTooLarge(client, rig)),
  );
  await checks.check('back-pressure is 503, seen by a client that does not repeat', () =>
    withClient(rig, { ...right, maxRetries: 0 }, (client) => seesBackpressure(client, rig)),
  );
  await checks.check('a client that repeats after 503 stores its events once', () =>
    withClient(rig, { ...right, maxRetries: manyRetries }, (client) =>
      repeatsAfterBackpressure(client, rig),
    ),
  );
}

async function checkTokens(checks: GroupChecks, rig: BulkRig): Promise<void> {
  const cases: readonly { name: string; with: (secret: string) => BulkOptions }[] = [
    { name: 'basic', with: (password) => ({ auth: { username: 'anyone', password } }) },
    { name: 'an API key', with: (secret) => ({ apiKey: apiKey(secret) }) },
    { name: 'a bearer token', with: (bearer) => ({ bearer }) },
  ];
  const send = (options: BulkOptions): Promise<void> => withClient(rig, options, sendOne);
  await checks.check('no token is 401', () => rejectsWith(send({}), 401));
  for (const { name, with: optionsOf } of cases) {
    await checks.check(`${name}: right ones pass, a wrong one is 401`, async () => {
      await send(optionsOf(token));
      await send(optionsOf(otherToken));
      await rejectsWith(send(optionsOf('wrong')), 401);
      await rejectsWith(send(optionsOf(`${token}x`)), 401);
    });
  }
  await checks.check('what was refused is not stored', async () => {
    assert.equal(await countOf(rig, 'guarded'), cases.length * 2);
  });
}

function apiKey(secret: string): string {
  return Buffer.from(`key-id:${secret}`).toString('base64');
}

async function sendOne(client: BulkClient): Promise<void> {
  const { errors } = await client.bulk([{ create: { _index: 'guarded' } }, { message: 'hello' }]);
  assert.equal(errors, false);
}

/** The clients throw a `ResponseError` of their own with the status in `statusCode`. */
async function rejectsWith(work: Promise<unknown>, statusCode: number): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof Error);
    const found = 'statusCode' in error ? error.statusCode : undefined;
    assert.equal(found, statusCode, `expected status ${statusCode}, got ${error}`);
    return true;
  });
}

function events(index: string, count: number, bytes: number): object[] {
  return Array.from({ length: count }, (_, at) => [
    { create: { _index: index, _id: `event-${at}` } },
    { message: `${at} `.padEnd(bytes, 'x') },
  ]).flat();
}

async function bodyTooLarge(client: BulkClient, rig: BulkRig): Promise<void> {
  const { proxy } = rig;
  proxy.take();
  await rejectsWith(client.bulk(events('large', 100, 20_000)), 413);
  assert.deepEqual(proxy.statuses, [413]);
  assert.equal(await countOf(rig, 'large'), 0);
}

async function eventTooLarge(client: BulkClient, rig: BulkRig): Promise<void> {
  const { proxy } = rig;
  proxy.take();
  await rejectsWith(
    client.bulk([...events('cap', 3, 100), { create: {} }, { message: 'x'.repeat(70_000) }]),
    400,
  );
  assert.deepEqual(proxy.statuses, [400]);
  assert.equal(await countOf(rig, 'cap'), 0);
}

/** Leaves too little room for what the checks send. */
function fillNode({ node }: BulkRig): Promise<HeldRequest> {
  return HeldRequest.open({
    url: `http://${node.address('bulk')}/_bulk`,
    bodyBytes: mebibyte - 1000,
    headers: { authorization: `Bearer ${token}` },
  });
}

async function seesBackpressure(client: BulkClient, rig: BulkRig): Promise<void> {
  rig.proxy.take();
  using _held = await fillNode(rig);
  await rejectsWith(client.bulk(events('busy', 10, 10_000)), 503);
  const [exchange] = rig.proxy.take();
  assert.match(String(exchange?.responseHeaders['retry-after']), /^[1-5]$/);
  assert.equal(await countOf(rig, 'busy'), 0);
}

async function repeatsAfterBackpressure(client: BulkClient, rig: BulkRig): Promise<void> {
  rig.proxy.take();
  const held = await fillNode(rig);
  const sending = client.bulk(events('patient', 10, 10_000));
  sending.catch(() => undefined);
  while (!rig.proxy.statuses.includes(503)) await delay(10);
  held[Symbol.dispose]();
  const answer = await sending;
  assert.equal(answer.errors, false);
  assert.equal(rig.proxy.statuses.at(-1), 200);
  assert.equal(await countOf(rig, 'patient'), 10);
}
