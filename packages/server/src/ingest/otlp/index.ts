export { createOtlpEndpoint } from './endpoint.ts';
export { OtlpProtocol } from './protocol.ts';
