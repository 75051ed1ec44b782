import { makeBatch } from '../events.ts';
import type { EncodedBatch, Encoding } from './encoded-batch.ts';
import { Random } from './random.ts';
import { Stamper } from './stamp.ts';

export interface PoolOptions {
  readonly encoding: Encoding;
  readonly seed: number;
  readonly requests: number;
  readonly eventsPerRequest: number;
}

/** Processes whose events one request carries, as behind a collector. */
const groupsPerRequest = 8;

/** A whole HTTP request that is ready to be written to a socket. */
export class PreparedRequest {
  readonly bytes: Buffer;
  readonly events: number;
  readonly bodyBytes: number;
  readonly #stamper: Stamper;

  constructor(encoding: Encoding, batch: EncodedBatch) {
    const head = Buffer.from(
      `POST ${encoding.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${encoding.contentType}\r\n` +
        `Content-Length: ${batch.body.length}\r\n\r\n`,
    );
    this.bytes = Buffer.concat([head, batch.body]);
    this.events = batch.events;
    this.bodyBytes = batch.body.length;
    const body = this.bytes.subarray(head.length);
    this.#stamper = new Stamper(body, batch.offsets, encoding.stampForm);
  }

  /** Only while the request is not on its way. */
  stamp(nowMs: number, random: Random): void {
    this.#stamper.stamp(nowMs, random);
  }

  body(): Buffer {
    return this.bytes.subarray(this.bytes.length - this.bodyBytes);
  }
}

/** Different requests to cycle through; encoding them costs nothing while the load runs. */
export function makePool({
  encoding,
  seed,
  requests,
  eventsPerRequest,
}: PoolOptions): PreparedRequest[] {
  const random = new Random(seed);
  return Array.from({ length: requests }, () => {
    const groups = makeBatch(random, { events: eventsPerRequest, groups: groupsPerRequest });
    const request = new PreparedRequest(encoding, encoding.encode(groups));
    request.stamp(Date.now(), random);
    return request;
  });
}
