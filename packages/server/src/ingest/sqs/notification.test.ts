import { expect, it } from 'vitest';
import { parseNotification } from './notification.ts';

const record = (key: string, over: object = {}, object: object = {}) => ({
  eventVersion: '2.1',
  eventSource: 'aws:s3',
  awsRegion: 'eu-central-1',
  eventName: 'ObjectCreated:Put',
  s3: { bucket: { name: 'logs', arn: 'arn:aws:s3:::logs' }, object: { key, size: 1, ...object } },
  ...over,
});
const s3Event = (...records: object[]): string => JSON.stringify({ Records: records });
const sns = (message: string): string =>
  JSON.stringify({
    Type: 'Notification',
    MessageId: 'm',
    TopicArn: 'arn:aws:sns:eu-central-1:1:topic',
    Message: message,
  });
const eventBridge = (key: string, over: object = {}): string =>
  JSON.stringify({
    version: '0',
    'detail-type': 'Object Created',
    source: 'aws.s3',
    region: 'eu-central-1',
    detail: { bucket: { name: 'logs' }, object: { key, size: 1, 'version-id': 'v' } },
    ...over,
  });

const ref = (
  keys: readonly string[],
  versionId?: string,
  region: string | undefined = 'eu-central-1',
) => ({
  bucket: 'logs',
  keys,
  versionId,
  region,
});

it.each([
  ['an S3 event', s3Event(record('a.log'), record('b.log')), [ref(['a.log']), ref(['b.log'])]],
  ['an S3 event in an SNS envelope', sns(s3Event(record('a.log'))), [ref(['a.log'])]],
  [
    'an event of a versioned bucket',
    s3Event(record('a', {}, { versionId: 'v1' })),
    [ref(['a'], 'v1')],
  ],
  [
    'an event of MinIO',
    s3Event(record('d%2Fa.log', { eventSource: 'minio:s3', eventName: 's3:ObjectCreated:Put' })),
    [ref(['d/a.log', 'd%2Fa.log'])],
  ],
  ['an EventBridge event', eventBridge('a b+c%25.log'), [ref(['a b+c%25.log', 'a b c%.log'], 'v')]],
  ['an EventBridge event in an SNS envelope', sns(eventBridge('a.log')), [ref(['a.log'], 'v')]],
  [
    'the notice of CloudTrail',
    sns(JSON.stringify({ s3Bucket: 'logs', s3ObjectKey: ['a.gz', 'b.gz'] })),
    ['a.gz', 'b.gz'].map((key) => ({ ...ref([key]), region: undefined })),
  ],
])('%s names its objects', (_, body, refs) => {
  expect(parseNotification(body)).toEqual(refs);
});

it.each([
  ['a+b.log', 'a b.log'],
  ['a%2Bb.log', 'a+b.log'],
  ['a%25b.log', 'a%b.log'],
  ['caf%C3%A9/%E2%82%AC.log', 'café/€.log'],
  ['50%.log', '50%.log'],
])('the key %s of an S3 event is %s', (encoded, key) => {
  expect(parseNotification(s3Event(record(encoded)))?.[0]?.keys[0]).toBe(key);
});

it.each([
  ['a test event', JSON.stringify({ Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'b' })],
  ['a test event in an envelope', sns(JSON.stringify({ Event: 's3:TestEvent' }))],
  ['a removal', s3Event(record('a', { eventName: 'ObjectRemoved:Delete' }))],
  ['a removal told by EventBridge', eventBridge('a', { 'detail-type': 'Object Deleted' })],
  ['an event without records', '{"Records":[]}'],
  ['records without a bucket', '{"Records":[{"eventName":"ObjectCreated:Put"},null,7]}'],
])('%s names no object', (_, body) => {
  expect(parseNotification(body)).toEqual([]);
});

it.each([
  '',
  'hello',
  '[]',
  'null',
  '{}',
  '{"Message":"x","TopicArn":"y"}',
  sns(sns(sns(sns(sns(sns('{}')))))),
])('%s is no notification', (body) => {
  expect(parseNotification(body)).toBeUndefined();
});
