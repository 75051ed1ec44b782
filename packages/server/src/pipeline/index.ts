export { DedupWindow, fingerprintsOf, openDedupWindow } from './dedup/index.ts';
export { createEventGroups, type EventBuilderOptions } from './event-groups.ts';
export { GroupCommit } from './group-commit.ts';
export { IngestEngine } from './ingest-engine.ts';
export {
  Pipeline,
  type IngestResult,
  type IngestSide,
  type StorageSide,
  type WalUsage,
} from './pipeline.ts';
export type { DecodedRequest, IngestReply, IngestRequest, Protocol } from './protocol.ts';
export { SegmentRotation } from './segment-rotation.ts';
export { Storage, type StorageStart } from './storage.ts';
export type { PinnedFiles, TableDelta } from './table-state.ts';
