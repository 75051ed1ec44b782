export { OtlpProtocol } from './protocol.ts';
