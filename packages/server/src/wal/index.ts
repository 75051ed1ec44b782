export { readSegment, readWholeSegment, type ReadOptions } from './reader.ts';
export type { ClosedSegment } from './recovery.ts';
export type { WalRecord } from './segment-cursor.ts';
export { schemaHashBytes } from './segment.ts';
export { WalWriter, type WalStatus, type WalWriterOptions } from './writer.ts';
