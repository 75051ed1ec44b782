import type { EventGroup } from '../events.ts';
import type { StampForm, StampOffsets } from './stamp.ts';

/** One request body with the places that are stamped before each sending. */
export interface EncodedBatch {
  readonly body: Buffer;
  readonly events: number;
  readonly offsets: StampOffsets;
}

/** A way to send events: what the bench needs to know of a protocol. */
export interface Encoding {
  readonly name: ProtocolName;
  /** Name of the listener in `--print-addresses`. */
  readonly listener: string;
  readonly path: string;
  readonly contentType: string;
  readonly stampForm: StampForm;
  encode(groups: readonly EventGroup[]): EncodedBatch;
}

export type ProtocolName = 'otlp_protobuf' | 'otlp_json' | 'bulk';

/** Offsets under construction. */
export interface OffsetLists {
  readonly times: number[];
  readonly traceIds: number[];
  readonly requestIds: number[];
}

export function emptyOffsets(): OffsetLists {
  return { times: [], traceIds: [], requestIds: [] };
}

export function countEvents(groups: readonly EventGroup[]): number {
  return groups.reduce((sum, group) => sum + group.events.length, 0);
}
