import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import {
  CreateBucketCommand,
  PutBucketNotificationConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { Moto } from '../sqs/moto.ts';
import type { CheckGroup, GroupChecks } from '../suite/check-list.ts';
import { installPythonServer } from '../suite/installation.ts';
import { RunningNode } from '../suite/running-node.ts';
import { quote } from '../suite/sql-client.ts';

const bucket = 'logs';
const account = '123456789012';
const region = 'us-east-1';
const settleTimeoutMs = 30_000;

interface Rig {
  readonly node: RunningNode;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
  readonly queueUrl: string;
}

/** Objects that the AWS SDK puts into a bucket, announced by a queue. */
export function s3ObjectGroup(directory: string): CheckGroup {
  return {
    name: 's3 objects',
    async run(checks) {
      const python = await installPythonServer('moto', 'sqs/requirements.txt');
      if (!python.isInstalled) {
        checks.skip('objects announced by a queue', python.reason);
        return;
      }
      await using moto = await Moto.start(python.value);
      const { endpoint } = moto;
      // For the node as well, which finds them the way the AWS tools do.
      Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'interop', AWS_SECRET_ACCESS_KEY: 'x' });
      const s3 = new S3Client({ endpoint, region, forcePathStyle: true });
      const sqs = new SQSClient({ endpoint, region });
      const queueUrl = await createBucketAndQueue(s3, sqs);
      await using node = await RunningNode.start({
        directory: join(directory, 's3-objects'),
        settings: {
          'ingest.sqs.queue_url': queueUrl,
          'ingest.sqs.endpoint': endpoint,
          'ingest.sqs.region': region,
        },
      });
      await runChecks(checks, { node, s3, sqs, queueUrl });
      await node.stop();
    },
  };
}

async function createBucketAndQueue(s3: S3Client, sqs: SQSClient): Promise<string> {
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  const { QueueUrl: queueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'logs' }));
  assert.ok(queueUrl !== undefined);
  const QueueArn = `arn:aws:sqs:${region}:${account}:logs`;
  await s3.send(
    new PutBucketNotificationConfigurationCommand({
      Bucket: bucket,
      NotificationConfiguration: {
        QueueConfigurations: [{ QueueArn, Events: ['s3:ObjectCreated:*'] }],
      },
    }),
  );
  return queueUrl;
}

async function runChecks(checks: GroupChecks, rig: Rig): Promise<void> {
  const large = Array.from({ length: 50_000 }, (_, at) => `${at} `.padEnd(60, 'x'));
  const record = { eventTime: '2026-01-02T03:04:05Z', eventSource: 's3.amazonaws.com' };
  const records = ['A', 'B', 'C'].map((eventName) => ({ ...record, eventName }));
  const cases: readonly (readonly [string, string, string | Uint8Array, readonly string[]])[] = [
    ['a key with space, plus and percent', 'a/b c+d%e ü.log', 'one\r\ntwo\n', ['one', 'two']],
    ['gzip of two members', 'a.gz', twice(gzipSync, 'g1', 'g2'), ['g1', 'g2']],
    ['zstd of two frames', 'a.zst', twice(zstdCompressSync, 'z1', 'z2'), ['z1', 'z2']],
    ['a JSON array', 'a.json', '[{"message":"j1"},\n{"message":"j2"}]', ['j1', 'j2']],
    ['an object of several slices', 'large.gz', gzipSync(large.join('\n')), large],
    [
      'CloudTrail records',
      `AWSLogs/${account}/CloudTrail/a.json.gz`,
      gzipSync(JSON.stringify({ Records: records })),
      ['A', 'B', 'C'],
    ],
  ];
  for (const [name, key, content, lines] of cases) {
    await checks.check(`${name} is stored line by line`, async () => {
      await put(rig, key, content);
      await settle(rig);
      await expectBodies(rig, key, lines);
    });
  }
  await checks.check('an object announced again, in an SNS envelope, is stored once', async () => {
    const record = {
      eventName: 'ObjectCreated:Put',
      s3: { bucket: { name: bucket }, object: { key: 'a.gz' } },
    };
    const Message = JSON.stringify({ Records: [record] });
    const envelope = { Type: 'Notification', TopicArn: 'arn:aws:sns:x', Message };
    await announce(rig, envelope);
    await settle(rig);
    await expectBodies(rig, 'a.gz', ['g1', 'g2']);
  });
  await checks.check('both versions of an overwritten object are stored', async () => {
    const VersioningConfiguration = { Status: 'Enabled' } as const;
    await rig.s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
    await put(rig, 'versions.log', 'same\nfirst\n');
    await settle(rig);
    await put(rig, 'versions.log', 'same\nsecond\n');
    await settle(rig);
    await expectBodies(rig, 'versions.log', ['first', 'same', 'same', 'second']);
  });
  await checks.check('a test event and an EventBridge event are understood', async () => {
    await announce(rig, { Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: bucket });
    const detail = { bucket: { name: bucket }, object: { key: 'large.gz' } };
    await announce(rig, { 'detail-type': 'Object Created', source: 'aws.s3', detail });
    await settle(rig);
    await expectBodies(rig, 'large.gz', large);
  });
  await checks.check('received = stored + deduplicated, nothing rejected', async () => {
    const { listeners } = (await rig.node.sql.health()).ingest;
    const found = listeners.find(({ name }) => name === 'sqs');
    assert.ok(found !== undefined);
    assert.equal(found.received, found.stored + found.deduplicated);
    assert.ok(found.deduplicated >= large.length);
  });
}

function twice(pack: (content: Buffer) => Buffer, first: string, second: string): Buffer {
  return Buffer.concat([pack(Buffer.from(`${first}\n`)), pack(Buffer.from(second))]);
}

async function put({ s3 }: Rig, key: string, content: string | Uint8Array): Promise<void> {
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: content }));
}

async function announce({ sqs, queueUrl }: Rig, body: object): Promise<void> {
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(body) }));
}

/** Until every message was deleted. */
async function settle({ sqs, queueUrl }: Rig): Promise<void> {
  for (let waitedMs = 0; waitedMs < settleTimeoutMs; waitedMs += 200) {
    const { Attributes: attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
    );
    const waiting = Number(attributes['ApproximateNumberOfMessages']);
    const inWork = Number(attributes['ApproximateNumberOfMessagesNotVisible']);
    if (waiting + inWork === 0) return;
    await delay(200);
  }
  throw new Error('messages are left in the queue');
}

async function expectBodies({ node }: Rig, key: string, lines: readonly string[]): Promise<void> {
  const where = `source = ${quote(bucket)} AND attributes['aws.s3.key'] = ${quote(key)}`;
  const found = new Map<string, number>();
  for await (const { body } of node.sql.stream<{ readonly body: string }>(
    `SELECT body FROM raw_events WHERE ${where}`,
  )) {
    found.set(body, (found.get(body) ?? 0) + 1);
  }
  const expected = new Map<string, number>();
  for (const line of lines) expected.set(line, (expected.get(line) ?? 0) + 1);
  assert.deepEqual(found, expected);
}
