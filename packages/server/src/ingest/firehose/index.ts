export { createFirehoseEndpoint, type FirehoseEndpointOptions } from './endpoint.ts';
export { createFirehoseProtocol, type FirehoseProtocolOptions } from './protocol.ts';
