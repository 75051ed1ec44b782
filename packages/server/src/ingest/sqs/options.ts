import { byteSize, integer, oneOf, text } from '../../base/option-types.ts';
import { option, optionalOption, type OptionTable } from '../../base/option.ts';

export const sqsOptions = {
  'ingest.sqs.queue_url': optionalOption(text('the URL of a queue'), {
    absent: 'off',
    description:
      'SQS queue with notifications of new S3 objects, whose lines become events. Credentials are found the way AWS tools do (environment, shared files, role).',
  }),
  'ingest.sqs.region': optionalOption(text('the name of a region'), {
    absent: 'the region of the environment',
    description: 'Region of the queue and, unless they say otherwise, of the buckets.',
  }),
  'ingest.sqs.endpoint': optionalOption(text('a URL'), {
    absent: 'the endpoint of AWS',
    description: 'Endpoint of an SQS-compatible service; also for S3 unless that has its own.',
  }),
  'ingest.sqs.s3_endpoint': optionalOption(text('a URL'), {
    absent: '`ingest.sqs.endpoint`',
    description: 'Endpoint of the S3-compatible service that holds the objects.',
  }),
  'ingest.sqs.path_style': option(oneOf('auto', 'on', 'off'), {
    default: 'auto',
    description:
      'Whether buckets are addressed by path rather than by host name; `auto` does so when an endpoint is set.',
  }),
  'ingest.sqs.tenant': option(text(), {
    default: 'default',
    description: 'Tenant of events from S3 objects.',
  }),
  'ingest.sqs.max_object_bytes': option(byteSize({ min: 1024 }), {
    default: '256MiB',
    unit: 'bytes',
    description: 'Largest object, as it is stored and after decompression.',
  }),
  'ingest.sqs.max_receives': option(integer({ min: 1, max: 1000 }), {
    default: 5,
    description:
      'How often a message that cannot be processed is received before it is deleted. A queue with a redrive policy decides that itself.',
  }),
} as const satisfies OptionTable;
