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

/** A port nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
