import { AssertionError } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { NodeError } from '../base/errors.ts';
import type { EventBatch } from './event-batch.ts';
import type { GroupCommit } from './group-commit.ts';
import type { IngestResult } from './pipeline.ts';
import type { IngestRequest, Protocol } from './protocol.ts';

export interface IngestEngineOptions {
  readonly protocols: readonly Protocol[];
  readonly group: GroupCommit<EventBatch>;
  /** Undoes `Content-Encoding` within the limit; throws `NodeError`. */
  readonly decompress: (
    body: Uint8Array,
    encoding: string | undefined,
    maxBytes: number,
  ) => Uint8Array;
  readonly clock: Clock;
}

const encoder = new TextEncoder();
const nothing = { received: 0, stored: 0, deduplicated: 0, rejected: {} } as const;

/** The hot path of the ingest worker: compressed bytes → columns → log → the protocol's answer. */
export class IngestEngine {
  readonly #options: IngestEngineOptions;
  readonly #protocols: ReadonlyMap<string, Protocol>;

  constructor(options: IngestEngineOptions) {
    this.#options = options;
    this.#protocols = new Map(options.protocols.map((protocol) => [protocol.name, protocol]));
  }

  /** Settles after the stored events are durable. Rejects only for faults of the node itself. */
  async submit(request: IngestRequest): Promise<IngestResult> {
    const protocol = this.#protocols.get(request.protocol);
    if (protocol === undefined) throw new AssertionError(`no protocol ${request.protocol}`);
    const { group, decompress, clock } = this.#options;
    try {
      const decoded = await group.admit(({ builder }) => {
        const encoding = request.headers['content-encoding'];
        const body = decompress(request.body, encoding, request.maxBodyBytes);
        builder.beginRequest({
          nowNs: BigInt(clock.nowMs()) * 1_000_000n,
          tenant: encoder.encode(request.tenant),
          source: encoder.encode(request.listener),
        });
        return protocol.decode(request, body, builder);
      });
      const { received, stored, deduplicated, rejected } = decoded;
      return { reply: decoded.reply(), received, stored, deduplicated, rejected };
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const reply = protocol.replyToError(error, request);
      return { ...nothing, reply, requestError: error.code };
    }
  }
}
