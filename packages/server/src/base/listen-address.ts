/** Where a listener binds, or `off`. Port 0 picks a free port. */
export type ListenAddress = { readonly host: string; readonly port: number } | 'off';

const ALL_INTERFACES = '0.0.0.0';

/** Reads `host:port`, `[ipv6]:port`, `:port` (all interfaces) or `off`; undefined when it is none of them. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  if (text === 'off') return 'off';
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]*)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  if (port > 65_535) return undefined;
  const host = match[1] ?? match[2];
  return { host: host === undefined || host === '' ? ALL_INTERFACES : host, port };
}

export function formatListenAddress(address: ListenAddress): string {
  if (address === 'off') return 'off';
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `${host}:${address.port}`;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
