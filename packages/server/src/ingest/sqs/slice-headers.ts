import type { ObjectFormat } from './object-format.ts';

export const objectProtocolName = 's3_object';

/** What the ingest worker has to know of the object that a slice is part of. */
export interface SliceContext {
  readonly bucket: string;
  readonly key: string;
  /** Stable id of this version of the object; with the offset of an entry it is the entry's own. */
  readonly objectId: string;
  readonly format: ObjectFormat;
  /** Names of the fields of a flow log, as in its first line. */
  readonly header: string | undefined;
  /** Time of entries that tell none. */
  readonly modifiedMs: number;
  /** Offset of the slice. */
  readonly offset: number;
}

/** The context as headers of a request, and back; the way between both is inside the node. */
export function sliceHeaders(context: SliceContext): Readonly<Record<string, string>> {
  return { 'slice-context': JSON.stringify(context) };
}

export function readSliceHeaders(headers: Readonly<Record<string, string>>): SliceContext {
  return JSON.parse(headers['slice-context'] ?? '') as SliceContext;
}
