import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AwsFake } from '../../../test/fixture/aws-fake.ts';
import { ManualClock } from '../../../test/fixture/manual-clock.ts';
import { ProtocolRig } from '../../../test/fixture/protocol-rig.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { InflightBudget, ListenerLedger } from '../http/index.ts';
import { ObjectReader } from './object-reader.ts';
import { createObjectProtocol } from './protocol.ts';
import { QueueReader } from './queue-reader.ts';

let aws: AwsFake;
let rig: ProtocolRig;
let stop: () => Promise<void>;
let ledger: ListenerLedger;

beforeEach(async () => {
  aws = await AwsFake.open();
  rig = new ProtocolRig([createObjectProtocol()]);
  stop = async () => undefined;
});

afterEach(async () => {
  await stop();
  await aws[Symbol.asyncDispose]();
});

function start(options: { readonly clock?: Clock; readonly maxObjectBytes?: number } = {}): void {
  const place = {
    endpoint: aws.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  };
  ledger = new ListenerLedger();
  const shared = { clock: options.clock ?? systemClock, log: silentLogger, ledger };
  const s3 = new S3Client({ ...place, forcePathStyle: true });
  const sqs = new SQSClient(place);
  const objects = new ObjectReader({
    ...shared,
    s3,
    listener: 'sqs',
    tenant: 'acme',
    maxObjectBytes: options.maxObjectBytes ?? 1 << 24,
    maxEventBytes: 1 << 20,
    port: rig,
    budget: new InflightBudget(1 << 26),
  });
  const reader = new QueueReader({
    ...shared,
    sqs,
    queueUrl: `${aws.endpoint}/1/queue`,
    objects,
    isAccepting: () => rig.isAccepting(),
    maxReceives: 3,
    waitSecs: 0,
  });
  reader.start();
  stop = async () => {
    await reader.stop();
    s3.destroy();
    sqs.destroy();
  };
}

const bodies = (): readonly (string | null)[] => rig.rows().map(({ body }) => body);
const account = () => ledger.account('sqs', true);

it('deletes a message only after every object it names is durable', async () => {
  let open = (): void => undefined;
  rig.gate = new Promise((resolve) => (open = resolve));
  aws.put('a b+c%.log', 'one\ntwo\n');
  start();
  await expect.poll(() => rig.requests.length).toBe(1);
  expect(aws.count('DeleteMessage')).toBe(0);
  open();
  await expect.poll(() => aws.left).toBe(0);
  expect(rig.rows()).toMatchObject([
    { body: 'one', source: 'logs', tenant: 'acme', attributes: { 'aws.s3.key': 'a b+c%.log' } },
    { body: 'two' },
  ]);
  expect(account()).toMatchObject({ received: 2, stored: 2 });
});

it('stores an object once that is announced twice, and both versions of one that was overwritten', async () => {
  aws.put('a.log', 'one\n');
  start();
  await expect.poll(() => aws.left).toBe(0);
  aws.announce('a.log');
  await expect.poll(() => aws.count('DeleteMessage')).toBe(2);
  aws.put('a.log', 'two\n');
  await expect.poll(() => aws.left).toBe(0);
  expect(bodies()).toEqual(['one', 'two']);
  expect(account()).toMatchObject({ received: 3, stored: 2, deduplicated: 1 });
});

it('deletes what announces no object, and passes over folders and digests', async () => {
  aws.send('{"Event":"s3:TestEvent"}');
  aws.announce('folder/');
  aws.announce('AWSLogs/1/CloudTrail-Digest/x.json.gz');
  start();
  await expect.poll(() => aws.left).toBe(0);
  expect(aws.count('GET')).toBe(0);
  expect(account()).toMatchObject({ received: 0, rejected: {} });
});

it('reads a key in the other spelling when there is none in the first', async () => {
  aws.objects.set('logs/a b.log', Buffer.from('one'));
  const detail = { bucket: { name: 'logs' }, object: { key: 'a+b.log' } };
  aws.send(JSON.stringify({ 'detail-type': 'Object Created', detail }));
  start();
  await expect.poll(() => aws.left).toBe(0);
  expect(bodies()).toEqual(['one']);
});

describe('a fault on the way', () => {
  it('of the connection costs nothing and repeats nothing', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `${index}`.padEnd(99));
    aws.put('large.log', lines.join('\n'));
    aws.faults.push(
      { kind: 'cut', afterBytes: 1_700_001 },
      { kind: 'error', status: 503, code: 'SlowDown' },
      { kind: 'cut', afterBytes: 10 },
    );
    start();
    await expect.poll(() => aws.left, { timeout: 10_000 }).toBe(0);
    expect(aws.count('GET')).toBe(4);
    expect(account()).toMatchObject({ received: 20_000, stored: 20_000, deduplicated: 0 });
    expect(aws.calls).toContain('ChangeMessageVisibility 30');
  }, 15_000);

  it('of the log is waited for', async () => {
    rig.failures.push(new NodeError('wal_write_failed', 'no space'));
    aws.put('a.log', 'one');
    start();
    await expect.poll(() => aws.left).toBe(0);
    expect(bodies()).toEqual(['one']);
    expect(aws.count('GET')).toBe(1);
  });

  it('inside a compressed object leaves what came before, and is not met again', async () => {
    aws.put('a.gz', Buffer.from('1f8b0800000000000003ffff', 'hex'));
    start();
    await expect.poll(() => aws.left).toBe(0);
    expect(account()).toMatchObject({ received: 1, rejected: { ingest_malformed_body: 1 } });
    expect(aws.count('GET')).toBe(1);
  });
});

it('does not receive while nothing can be stored', async () => {
  rig.isOpen = false;
  aws.put('a.log', 'one');
  start();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(aws.calls).toEqual([]);
  rig.isOpen = true;
  await expect.poll(() => aws.left, { timeout: 5000 }).toBe(0);
});

describe('a message that cannot be processed', () => {
  it.each([
    ['names no object there is', () => aws.announce('none.log'), 'ingest_malformed_body'],
    ['is no notification', () => aws.send('hello'), 'ingest_malformed_body'],
    [
      'names an object that is too large',
      () => aws.put('a', 'x'.repeat(2000)),
      'request_body_too_large',
    ],
    ['names a column file', () => aws.put('a', 'PAR1'), 'request_unsupported_media_type'],
  ])('because it %s is deleted when it was received often enough', async (_, send, code) => {
    send();
    start({ maxObjectBytes: 1000 });
    await expect.poll(() => aws.left).toBe(0);
    expect(aws.count('ChangeMessageVisibility')).toBe(2);
    expect(account()).toMatchObject({ received: 1, rejected: { [code]: 1 } });
  });

  it('is left to the redrive policy of the queue when there is one', async () => {
    aws.hasRedrive = true;
    aws.send('hello');
    start();
    await expect.poll(() => aws.count('ChangeMessageVisibility')).toBeGreaterThan(5);
    expect(aws.left).toBe(1);
    expect(aws.count('DeleteMessage')).toBe(0);
  });
});

describe('while an object is read', () => {
  beforeEach(() => {
    rig.gate = new Promise(() => undefined);
    aws.put('a.log', 'one');
  });

  it('its message is kept invisible', async () => {
    const clock = new ManualClock();
    start({ clock });
    await expect.poll(() => rig.requests.length).toBe(1);
    clock.advance(149_000);
    expect(aws.count('ChangeMessageVisibility')).toBe(0);
    clock.advance(301_000);
    await expect.poll(() => aws.count('ChangeMessageVisibility 300')).toBe(3);
    stop = async () => undefined;
  });
});

it('gives its message back when the node stops', async () => {
  rig.failures.push(...Array.from({ length: 100 }, () => new NodeError('wal_write_failed', 'x')));
  aws.put('a.log', 'one');
  start();
  await expect.poll(() => rig.requests.length).toBeGreaterThan(0);
  await stop();
  expect(aws.calls.at(-1)).toBe('ChangeMessageVisibility 0');
  expect(aws.left).toBe(1);
  stop = async () => undefined;
});
