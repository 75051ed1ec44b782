export { createBulkEndpoint } from './endpoint.ts';
export type { ClusterIdentity } from './handshakes.ts';
export { type BulkProtocolOptions, createBulkProtocol } from './protocol.ts';
