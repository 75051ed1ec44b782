export { createGelfEndpoint } from './endpoint.ts';
export { createGelfProtocols, type GelfProtocolOptions } from './protocol.ts';
export { GelfTcpListener, type GelfTcpOptions } from './tcp-listener.ts';
export { GelfUdpListener, type GelfSocketOptions } from './udp-listener.ts';
