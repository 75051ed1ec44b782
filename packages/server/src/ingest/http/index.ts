export {
  HttpListener,
  type HttpListenerOptions,
  type HttpTimeouts,
  type ListenerLog,
} from './listener.ts';
export type { HttpEndpoint, RequestHead, Route, RouteInput } from './endpoint.ts';
export type { IngestCounts, IngestOutcome, IngestPort } from './ingest-port.ts';
export type { ListenerAccount } from './listener-ledger.ts';
export { InflightBudget, type InflightReservation } from './inflight-budget.ts';
export { parseAuthorization } from './credentials.ts';
export { decompress } from './decompress.ts';
export { bodyTooLarge } from './body-reader.ts';
