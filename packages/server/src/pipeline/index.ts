export {
  Pipeline,
  type IngestResult,
  type IngestSide,
  type StorageSide,
  type WalUsage,
} from './pipeline.ts';
export type { DecodedRequest, IngestReply, IngestRequest, Protocol } from './protocol.ts';
export { Storage, type StorageStart } from './storage.ts';
export type { PinnedFiles, ReadableFile, TableDelta } from './table-state.ts';
