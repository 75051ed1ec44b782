import type { IngestListener } from '../ingest/http/index.ts';
import { openSqsSource } from '../ingest/sqs/index.ts';
import type { OpenListenersOptions } from './listeners.ts';

/** Starts the reader of S3 objects when a queue is configured. */
export async function* openConfiguredQueue({
  config,
  port,
  budget,
  logger,
}: OpenListenersOptions): AsyncGenerator<IngestListener> {
  const { queueUrl, ...settings } = config.ingest.sqs;
  if (queueUrl === undefined) return;
  const name = 'sqs';
  const log = logger.child({ module: name });
  const { maxEventBytes } = config.ingest;
  yield openSqsSource({ ...settings, name, queueUrl, maxEventBytes, port, budget, log });
}
