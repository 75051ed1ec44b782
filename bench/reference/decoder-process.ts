/** Decodes prepared requests in a loop and sends events per second to its parent. */
import { decodeRequest, openBuilder, openProtocol } from '../table/decode-request.ts';
import type { ProtocolName } from '../workload/encoded-batch.ts';
import { encodings } from '../workload/encodings.ts';
import { makePool } from '../workload/request-pool.ts';

export interface DecoderRun {
  readonly protocol: ProtocolName;
  readonly seed: number;
  readonly requests: number;
  readonly eventsPerRequest: number;
  readonly durationMs: number;
}

/** Requests that share one record batch, as group commit makes them under load. */
const requestsPerBatch = 4;

function measure(run: DecoderRun): number {
  const encoding = encodings[run.protocol];
  const pool = makePool({ ...run, encoding });
  // In memory of their own, as bodies that were received.
  const bodies = pool.map((request) => new Uint8Array(request.body()));
  const protocol = openProtocol(encoding);
  const builder = openBuilder();
  const decodeFor = (durationMs: number): number => {
    const startedMs = performance.now();
    let events = 0;
    for (let index = 0; performance.now() - startedMs < durationMs; index++) {
      if (index % requestsPerBatch === 0) builder.batch.clear();
      const body = bodies[index % bodies.length] ?? new Uint8Array();
      events += decodeRequest(protocol, encoding, { body, builder });
    }
    return (events / (performance.now() - startedMs)) * 1000;
  };
  decodeFor(run.durationMs / 4);
  return decodeFor(run.durationMs);
}

const run = JSON.parse(process.argv[2] ?? '{}') as DecoderRun;
process.send?.(measure(run), () => process.disconnect());
