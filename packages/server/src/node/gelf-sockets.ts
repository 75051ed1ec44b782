import { tlsFilesOf } from '../base/tls-material.ts';
import { GelfTcpListener, GelfUdpListener } from '../ingest/gelf/index.ts';
import type { IngestListener } from '../ingest/http/index.ts';
import { openAt } from './bind.ts';
import type { OpenListenersOptions } from './listeners.ts';

/** Opens the GELF listeners that are no HTTP ports, each unless it is off. */
export async function* openGelfSockets({
  config,
  port,
  budget,
  logger,
}: OpenListenersOptions): AsyncGenerator<IngestListener> {
  const { udpListen, tcpListen, tcpDelimiter, tls, tenant, maxMessageBytes } = config.ingest.gelf;
  const settings = { port, budget, tenant, maxMessageBytes };
  if (udpListen !== 'off') {
    const name = 'gelf_udp';
    const log = logger.child({ module: name });
    yield openAt('ingest.gelf.udp_listen', udpListen, (address) =>
      GelfUdpListener.open({ ...settings, name, log, address }),
    );
  }
  if (tcpListen !== 'off') {
    const name = 'gelf_tcp';
    const log = logger.child({ module: name });
    yield openAt('ingest.gelf.tcp_listen', tcpListen, (address) =>
      GelfTcpListener.open({
        ...settings,
        name,
        log,
        address,
        delimiter: tcpDelimiter,
        tls: tlsFilesOf('ingest.gelf.tls', tls),
      }),
    );
  }
}
