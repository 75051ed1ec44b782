export { otlpEndpoint, otlpExportMethod } from './endpoint.ts';
export { otlpProtocol } from './protocol.ts';
