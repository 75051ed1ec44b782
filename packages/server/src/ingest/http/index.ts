export {
  HttpListener,
  type HttpListenerOptions,
  type HttpTimeouts,
  type ListenerLog,
} from './listener.ts';
export type { HttpEndpoint, RequestHead, Route, RouteInput } from './endpoint.ts';
export type { IngestListener } from './ingest-listener.ts';
export type { IngestCounts, IngestOutcome, IngestPort } from './ingest-port.ts';
export { type ListenerAccount, ListenerLedger } from './listener-ledger.ts';
export { bodyTooLarge, tooManyBytesInFlight } from './body-reader.ts';
export { InflightBudget, type InflightReservation } from './inflight-budget.ts';
export { parseAuthorization, standardSecrets } from './credentials.ts';
export { RequestGate } from './request-gate.ts';
export { tenantOf } from './tenant.ts';
export { decompress } from './decompress.ts';
