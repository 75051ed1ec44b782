import { AssertionError } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { NodeError } from '../base/errors.ts';
import type { GroupCommit } from './group-commit.ts';
import type { IngestResult } from './pipeline.ts';
import type { DecodedRequest, IngestRequest, Protocol } from './protocol.ts';
import type { RawEventGroup } from './raw-event-group.ts';

export interface IngestEngineOptions {
  readonly protocols: readonly Protocol[];
  readonly group: GroupCommit<RawEventGroup>;
  /** Undoes `Content-Encoding` within the limit; throws `NodeError`. */
  readonly decompress: (
    body: Uint8Array,
    encoding: string | undefined,
    maxBytes: number,
  ) => Uint8Array;
  readonly clock: Clock;
}

class RefusedBatch extends Error {}

const encoder = new TextEncoder();
const nothing = { received: 0, stored: 0, deduplicated: 0, rejected: {} } as const;

function resultOf(decoded: DecodedRequest): IngestResult {
  const { received, stored, deduplicated, rejected } = decoded;
  return { reply: decoded.reply(), received, stored, deduplicated, rejected };
}

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
    let refused: DecodedRequest | undefined;
    try {
      const decoded = await group.admit(({ builder }) => {
        const encoding = request.headers['content-encoding'];
        const body = decompress(request.body, encoding, request.maxBodyBytes);
        builder.beginRequest({
          nowNs: BigInt(clock.nowMs()) * 1_000_000n,
          tenant: encoder.encode(request.tenant),
          source: encoder.encode(request.listener),
        });
        const result = protocol.decode(request, body, builder);
        if (result.isRolledBack !== true) return result;
        refused = result;
        // Throwing is what makes the group take back what the request left in batch and window.
        throw new RefusedBatch();
      });
      return resultOf(decoded);
    } catch (error) {
      if (refused !== undefined) return resultOf(refused);
      if (!(error instanceof NodeError)) throw error;
      const reply = protocol.replyToError(error, request);
      return { ...nothing, reply, requestError: error.code };
    }
  }
}
