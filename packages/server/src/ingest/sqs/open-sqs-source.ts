import type { IngestListener } from '../http/index.ts';
import type { SqsSourceOptions } from './sqs-source.ts';

/** Starts to read a queue. The AWS SDK is loaded only here: most nodes never need it. */
export async function openSqsSource(options: SqsSourceOptions): Promise<IngestListener> {
  const { SqsSource } = await import('./sqs-source.ts');
  return SqsSource.open(options);
}
