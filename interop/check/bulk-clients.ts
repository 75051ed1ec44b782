import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type BulkClient, bulkClientNames, type BulkItem } from '../client/bulk.ts';
import type { CheckGroup, GroupChecks } from '../suite/check-list.ts';
import { RecordingProxy } from '../suite/recording-proxy.ts';
import { RunningNode } from '../suite/running-node.ts';
import { checkRefusals } from './bulk-refusals.ts';
import { type BulkRig, countOf, withClient } from './bulk-rig.ts';

/** What the Elasticsearch and OpenSearch clients do besides sending: greet, repeat, authenticate, cope with refusal. */
export function bulkClientGroups(directory: string): readonly CheckGroup[] {
  return bulkClientNames.map((name) => ({
    name,
    run: async (checks) => {
      await using node = await RunningNode.start({ directory: join(directory, name) });
      await using proxy = await RecordingProxy.open(node.address('bulk'));
      await runOpen(checks, { name, node, proxy });
      await checkRefusals(checks, { name, directory });
    },
  }));
}

function itemsOf(answer: { items: readonly Partial<Record<string, BulkItem>>[] }): BulkItem[] {
  return answer.items.map((item) => {
    const [only] = Object.values(item);
    assert.ok(only !== undefined);
    return only;
  });
}

async function runOpen(checks: GroupChecks, rig: BulkRig): Promise<void> {
  const { proxy } = rig;
  await checks.check('ping and info', () =>
    withClient(rig, {}, async (client) => {
      assert.equal(await client.ping(), true);
      assert.match(await client.info(), /^\d+\.\d+\.\d+$/);
      const product = proxy.exchanges.map(({ responseHeaders }) => responseHeaders);
      for (const headers of product) assert.equal(headers['x-elastic-product'], 'Elasticsearch');
    }),
  );
  await checks.check('a second create of an id is 409 and stores nothing', () =>
    withClient(rig, {}, (client) => duplicateCreate(client, rig)),
  );
  await checks.check('index of a known id is "updated" and keeps the first copy', () =>
    withClient(rig, {}, (client) => indexTwice(client, rig)),
  );
  await checks.check('helpers.bulk reports duplicates as dropped documents', () =>
    withClient(rig, {}, (client) => feedTwice(client, rig)),
  );
  await checks.check('a bad document among good ones costs no other', () =>
    withClient(rig, {}, (client) => badDocument(client, rig)),
  );
  await checks.check('update and delete are refused item by item', () =>
    withClient(rig, {}, (client) => updateAndDelete(client, rig)),
  );
  await checks.check('events without an id get one of their own', () =>
    withClient(rig, {}, (client) => withoutId(client)),
  );
  await checks.check('compressed requests and answers', () =>
    withClient(rig, { isCompressed: true }, (client) => compressed(client, rig)),
  );
  await checks.check('an event with nested, empty and large values comes back as sent', () =>
    withClient(rig, {}, (client) => oddValues(client, rig)),
  );
}

async function duplicateCreate(client: BulkClient, rig: BulkRig): Promise<void> {
  const create = { create: { _index: 'twice', _id: 'one' } };
  const first = await client.bulk([create, { message: 'first' }]);
  assert.equal(first.errors, false);
  assert.deepEqual(
    itemsOf(first).map(({ status, result, _id }) => [status, result, _id]),
    [[201, 'created', 'one']],
  );
  const second = await client.bulk([create, { message: 'second' }]);
  assert.equal(second.errors, true);
  assert.deepEqual(Object.keys(second.items[0] ?? {}), ['create']);
  const [item] = itemsOf(second);
  assert.equal(item?.status, 409);
  assert.equal(item?.error?.type, 'version_conflict_engine_exception');
  assert.equal(await countOf(rig, 'twice'), 1);
}

async function indexTwice(client: BulkClient, { node }: BulkRig): Promise<void> {
  const index = { index: { _index: 'again', _id: 'one' } };
  const answer = await client.bulk([index, { message: 'first' }, index, { message: 'second' }]);
  assert.equal(answer.errors, false);
  assert.deepEqual(
    itemsOf(answer).map(({ status, result }) => [status, result]),
    [
      [201, 'created'],
      [200, 'updated'],
    ],
  );
  const sql = `SELECT body FROM raw_events WHERE source = 'again'`;
  assert.deepEqual(await node.sql.rows(sql), [['first']]);
}

async function feedTwice(client: BulkClient, rig: BulkRig): Promise<void> {
  const documents = Array.from({ length: 1000 }, (_, at) => ({ message: `fed ${at}`, at }));
  const request = {
    documents,
    operation: 'create' as const,
    index: 'fed',
    idOf: (document: object) => JSON.stringify(document),
    flushBytes: 16 * 1024,
  };
  const first = await client.feed(request);
  assert.deepEqual([first.successful, first.failed, first.dropped.length], [1000, 0, 0]);
  const second = await client.feed(request);
  assert.deepEqual([second.successful, second.failed], [0, 1000]);
  assert.deepEqual([...new Set(second.dropped.map(({ status }) => status))], [409]);
  assert.equal(await countOf(rig, 'fed'), 1000);
}

async function badDocument(client: BulkClient, rig: BulkRig): Promise<void> {
  const action = JSON.stringify({ create: { _index: 'mixed' } });
  const documents = ['{"message":"good"}', '{"message":"broken', '{"message":"good too"}'];
  const answer = await client.bulkText(documents.map((line) => `${action}\n${line}\n`).join(''));
  assert.equal(answer.errors, true);
  const items = itemsOf(answer);
  assert.deepEqual(
    items.map(({ status }) => status),
    [201, 400, 201],
  );
  assert.equal(typeof items[1]?.error?.type, 'string');
  assert.equal(typeof items[1]?.error?.reason, 'string');
  assert.equal(await countOf(rig, 'mixed'), 2);
}

async function updateAndDelete(client: BulkClient, { node }: BulkRig): Promise<void> {
  const meta = { _index: 'kept', _id: 'one' };
  const answer = await client.bulk([
    { create: meta },
    { message: 'kept' },
    { delete: meta },
    { update: meta },
    { doc: { message: 'changed' } },
    { create: { _index: 'kept', _id: 'two' } },
    { message: 'kept too' },
  ]);
  assert.deepEqual(
    answer.items.map((item) => Object.keys(item)[0]),
    ['create', 'delete', 'update', 'create'],
  );
  assert.deepEqual(
    itemsOf(answer).map(({ status }) => status),
    [201, 400, 400, 201],
  );
  const sql = `SELECT body FROM raw_events WHERE source = 'kept' ORDER BY body`;
  assert.deepEqual(await node.sql.rows(sql), [['kept'], ['kept too']]);
}

async function withoutId(client: BulkClient): Promise<void> {
  const operations = Array.from({ length: 200 }, () => [
    { create: { _index: 'nameless' } },
    { message: 'the same' },
  ]).flat();
  const items = itemsOf(await client.bulk(operations));
  assert.equal(new Set(items.map(({ _id }) => _id)).size, 200);
}

async function compressed(client: BulkClient, rig: BulkRig): Promise<void> {
  const { proxy } = rig;
  proxy.take();
  const operations = Array.from({ length: 500 }, (_, at) => [
    { create: { _index: 'zipped' } },
    { message: `compressible ${at} `.repeat(20) },
  ]).flat();
  const answer = await client.bulk(operations);
  assert.equal(answer.errors, false);
  assert.equal(answer.items.length, 500);
  const [exchange] = proxy.take();
  assert.equal(exchange?.headers['content-encoding'], 'gzip');
  if (/gzip/.test(String(exchange?.headers['accept-encoding']))) {
    assert.equal(exchange?.responseHeaders['content-encoding'], 'gzip');
  }
  assert.equal(await countOf(rig, 'zipped'), 500);
}

async function oddValues(client: BulkClient, { node }: BulkRig): Promise<void> {
  const document = {
    '@timestamp': '2024-02-29T23:59:59.123456789+02:00',
    message: 'odd',
    log: { level: 'error' },
    service: { name: 'shop', version: '1.2' },
    list: [1, 'two', { three: null }],
    empty: '',
    nothing: null,
    flag: false,
    exact: 9_007_199_254_740_991,
    fraction: 0.1,
    ключ: '値',
  };
  await client.bulk([{ create: { _index: 'odd' } }, document]);
  const [row] = await node.sql.rows(
    `SELECT timestamp_ns::VARCHAR, service, body, attributes FROM raw_events WHERE source = 'odd'`,
  );
  const attributes = {
    'log.level': 'error',
    'service.name': 'shop',
    'service.version': '1.2',
    list: '[1,"two",{"three":null}]',
    empty: '',
    nothing: null,
    flag: 'false',
    exact: '9007199254740991',
    fraction: '0.1',
    ключ: '値',
    severity: 'ERROR',
    severity_number: '17',
  };
  assert.deepEqual(row, ['1709243999123456789', 'shop', 'odd', attributes]);
}
