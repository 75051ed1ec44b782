/** An object that a notification announces. */
export interface ObjectRef {
  readonly bucket: string;
  /** Most likely reading first: whether a key is URL-encoded depends on who sends the notification. */
  readonly keys: readonly [string, ...string[]];
  readonly versionId: string | undefined;
  readonly region: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

const maxNesting = 4;

/**
 * The objects that the body of a queue message announces: an S3 event (of AWS or MinIO), an EventBridge event,
 * CloudTrail's own notice, each bare or inside an SNS envelope. Empty for what announces no new object (a test
 * event, a removal); undefined for what is none of these.
 */
export function parseNotification(body: string, nesting = 0): readonly ObjectRef[] | undefined {
  const message = parseObject(body);
  if (message === undefined || nesting > maxNesting) return undefined;
  const envelope = textOf(message['Message']);
  if (envelope !== undefined && message['TopicArn'] !== undefined) {
    return parseNotification(envelope, nesting + 1);
  }
  if (message['Event'] === 's3:TestEvent') return [];
  if (Array.isArray(message['Records'])) return message['Records'].flatMap(objectOfRecord);
  if (message['detail-type'] !== undefined) return objectsOfEventBridge(message);
  if (message['s3Bucket'] !== undefined) return objectsOfCloudTrail(message);
  return undefined;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html */
function objectOfRecord(value: unknown): ObjectRef[] {
  const record = objectOf(value);
  const eventName = textOf(record['eventName'])?.replace(/^s3:/, '') ?? '';
  const s3 = objectOf(record['s3']);
  const object = objectOf(s3['object']);
  const bucket = textOf(objectOf(s3['bucket'])['name']);
  const key = textOf(object['key']);
  if (!eventName.startsWith('ObjectCreated:') || bucket === undefined || key === undefined) {
    return [];
  }
  const decoded = decodeKey(key);
  return [
    {
      bucket,
      keys: decoded === key ? [key] : [decoded, key],
      versionId: textOf(object['versionId']),
      region: textOf(record['awsRegion']),
    },
  ];
}

function objectsOfEventBridge(message: Json): ObjectRef[] {
  const detail = objectOf(message['detail']);
  const object = objectOf(detail['object']);
  const bucket = textOf(objectOf(detail['bucket'])['name']);
  const key = textOf(object['key']);
  const isCreated = message['detail-type'] === 'Object Created';
  if (!isCreated || bucket === undefined || key === undefined) return [];
  const versionId = textOf(object['version-id']);
  return [{ bucket, keys: rawKeys(key), versionId, region: textOf(message['region']) }];
}

function objectsOfCloudTrail(message: Json): ObjectRef[] {
  const bucket = textOf(message['s3Bucket']);
  const keys = message['s3ObjectKey'];
  if (bucket === undefined || !Array.isArray(keys)) return [];
  return keys
    .filter((key) => typeof key === 'string')
    .map((key) => ({ bucket, keys: rawKeys(key), versionId: undefined, region: undefined }));
}

function rawKeys(key: string): readonly [string, ...string[]] {
  const decoded = decodeKey(key);
  return decoded === key ? [key] : [key, decoded];
}

/** As in a form: `+` is a space. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return key;
  }
}

function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
