export { createHecEndpoint, type HecEndpointOptions } from './endpoint.ts';
export { createHecProtocol, type HecProtocolOptions } from './protocol.ts';
