export { createLokiEndpoint, type LokiEndpointOptions } from './endpoint.ts';
export { createLokiProtocol, type LokiProtocolOptions } from './protocol.ts';
