import { NodeError } from '../base/errors.ts';

export interface EventLimits {
  readonly maxEventBytes: number;
  readonly maxAttributes: number;
  /**
   * Bytes one request may become as columns. Attributes shared by many events are stored with each of them, so
   * a small body can otherwise grow without bound.
   */
  readonly maxBatchBytes: number;
}

export function eventTooLarge(bytes: number, limit: number): NodeError {
  return new NodeError(
    'ingest_event_too_large',
    `an event has ${bytes} bytes, the limit is ${limit}; nothing of the batch was stored`,
    { details: { bytes, limit_bytes: limit } },
  );
}

export function tooManyAttributes(limit: number): NodeError {
  return new NodeError(
    'ingest_too_many_attributes',
    `an event has more than ${limit} attributes; nothing of the batch was stored`,
    { details: { limit } },
  );
}

export function batchTooLarge(limit: number): NodeError {
  return new NodeError(
    'ingest_batch_too_large',
    `the events of the batch take more than ${limit} bytes with the attributes they share; send fewer at once`,
    { details: { limit_bytes: limit } },
  );
}
