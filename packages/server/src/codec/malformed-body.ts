import { NodeError } from '../base/errors.ts';

/** What every decoder throws for bytes that do not follow their protocol. `offset` counts decompressed bytes. */
export function malformedBody(problem: string, offset: number): NodeError {
  return new NodeError('ingest_malformed_body', `${problem} at byte ${offset} of the body`, {
    details: { offset },
  });
}
