export { openSqsSource } from './open-sqs-source.ts';
export { createObjectProtocol } from './protocol.ts';
