export { otlpEndpoint } from './endpoint.ts';
export { otlpProtocol } from './protocol.ts';
