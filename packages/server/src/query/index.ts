export { defaultQueryOptions, type QueryOptions, type ScanGuardMode } from './options.ts';
export { QueryEngine, type QueryEngineOptions } from './engine/query-engine.ts';
export type { ResultFormat } from './engine/protocol.ts';
export type { QuerySummary } from './envelope.ts';
export {
  QueryService,
  type PreparedQuery,
  type QueryContext,
  type QueryRequest,
  type QueryResult,
  type QueryServiceOptions,
} from './query-service.ts';
export type { ScanBound } from './plan/bound.ts';
export type { GuardVerdict } from './scan-guard.ts';
export type { PinnedFiles, QueryTable, RowScope, TableSource } from './table.ts';
