import type { ProtocolName } from '../workload/encoded-batch.ts';

/** What the generator process is started with. */
export interface GeneratorOptions {
  readonly protocol: ProtocolName;
  readonly seed: number;
  readonly requests: number;
  readonly eventsPerRequest: number;
}

export interface LoadRequest {
  readonly address: { readonly host: string; readonly port: number };
  readonly connections: number;
  /** Events per second to send at; as fast as replies come when absent. */
  readonly eventsPerSecond?: number;
  /** The load ends at whichever comes first. */
  readonly durationMs?: number;
  readonly events?: number;
}

export interface LoadOutcome {
  readonly acknowledgedEvents: number;
  readonly acknowledgedRequests: number;
  readonly sentBytes: number;
  readonly elapsedMs: number;
  /** Requests answered 503, each sent again after a pause. */
  readonly pushedBack: number;
  /** At most 200,000, in milliseconds, in the order of the replies. */
  readonly latenciesMs: readonly number[];
  /** Processor time of the generator. */
  readonly cpuSeconds: number;
}

export type ToGenerator =
  | { readonly kind: 'run'; readonly load: LoadRequest }
  | { readonly kind: 'stop' };

export type FromGenerator =
  | { readonly kind: 'ready'; readonly bodyBytesPerEvent: number }
  | { readonly kind: 'done'; readonly outcome: LoadOutcome }
  | { readonly kind: 'failed'; readonly message: string };
