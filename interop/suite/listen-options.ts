import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

const page = join(import.meta.dirname, '../../docs/reference/configuration.md');

export interface ListenOption {
  /** `VARVE_INGEST__BULK__LISTEN` */
  readonly variable: string;
  readonly defaultPort: number;
}

/** Every listener there is, as the reference says: one more protocol must not mean one more port in use. */
export function listenOptions(): readonly ListenOption[] {
  const sections = readFileSync(page, 'utf8').split(/^### /m);
  const options = sections.flatMap((section) => {
    const variable = /`(VARVE_\w*LISTEN)`/.exec(section)?.[1];
    const port = /^- Default: `[^`]*:(\d+)`/m.exec(section)?.[1];
    return variable === undefined || port === undefined
      ? []
      : [{ variable, defaultPort: Number(port) }];
  });
  if (options.length < 2) throw new Error(`${page} names no listeners`);
  return options;
}

/** Ports nobody listens on at the moment, all different. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
