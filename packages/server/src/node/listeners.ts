import { NodeError } from '../base/errors.ts';
import type { ListenAddress } from '../base/listen-address.ts';
import { formatListenAddress } from '../base/listen-address.ts';
import type { Secret } from '../base/secret.ts';
import { tlsFilesOf } from '../base/tls-material.ts';
import type { Config } from '../config/index.ts';
import { createBulkEndpoint } from '../ingest/bulk/index.ts';
import { createHecEndpoint } from '../ingest/hec/index.ts';
import {
  type HttpEndpoint,
  HttpListener,
  type InflightBudget,
  type IngestListener,
  type IngestPort,
} from '../ingest/http/index.ts';
import { createLokiEndpoint } from '../ingest/loki/index.ts';
import { otlpEndpoint } from '../ingest/otlp/index.ts';
import type { Logger } from '../telemetry/index.ts';

interface ListenerSpec {
  readonly name: string;
  readonly key: string;
  readonly endpoints: readonly [HttpEndpoint, ...HttpEndpoint[]];
  readonly settings: {
    readonly listen: ListenAddress;
    readonly tokens: readonly Secret[] | undefined;
    readonly tenant: string;
    readonly tls: Parameters<typeof tlsFilesOf>[1];
  };
}

/** Every listener of the node, in the order of `GET /v1/health`. A new protocol is registered here. */
function listenerSpecs({ ingest }: Config, port: IngestPort): readonly ListenerSpec[] {
  return [
    {
      name: 'otlp_http',
      key: 'ingest.otlp.http.listen',
      endpoints: [otlpEndpoint],
      settings: ingest.otlp.http,
    },
    {
      name: 'bulk',
      key: 'ingest.bulk.listen',
      endpoints: [createBulkEndpoint()],
      settings: ingest.bulk,
    },
    {
      name: 'loki',
      key: 'ingest.loki.listen',
      // Loki takes OTLP on the same port, at `/otlp/v1/logs`.
      endpoints: [createLokiEndpoint(ingest.loki), otlpEndpoint],
      settings: ingest.loki,
    },
    {
      name: 'hec',
      key: 'ingest.hec.listen',
      endpoints: [
        createHecEndpoint({
          maxBodyBytes: ingest.hecMaxBodyBytes,
          allowsQueryToken: ingest.hec.queryToken === 'on',
          isAccepting: () => port.isAccepting(),
        }),
      ],
      settings: ingest.hec,
    },
  ];
}

export interface OpenListenersOptions {
  readonly config: Config;
  readonly port: IngestPort;
  readonly budget: InflightBudget;
  readonly logger: Logger;
}

/** All listeners that are not `off`; none stays open when one of them cannot be. */
export async function openListeners(
  options: OpenListenersOptions,
): Promise<readonly IngestListener[]> {
  const opened: IngestListener[] = [];
  try {
    for (const spec of listenerSpecs(options.config, options.port)) {
      const listener = await openListener(spec, options);
      if (listener !== undefined) opened.push(listener);
    }
    return opened;
  } catch (error) {
    await Promise.all(opened.map((listener) => listener.close()));
    throw error;
  }
}

async function openListener(
  { name, key, endpoints, settings }: ListenerSpec,
  { port, budget, logger }: OpenListenersOptions,
): Promise<IngestListener | undefined> {
  const { listen, tokens = [], tenant, tls } = settings;
  if (listen === 'off') return undefined;
  try {
    return await HttpListener.open({
      name,
      address: listen,
      endpoints,
      port,
      budget,
      tokens,
      tenant,
      tls: tlsFilesOf(key.replace(/listen$/, 'tls'), tls),
      log: logger.child({ module: name }),
    });
  } catch (cause) {
    if (cause instanceof NodeError) throw cause;
    const isInUse = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    const reason = isInUse ? 'the port is in use; choose another or set it to off' : String(cause);
    throw new NodeError('config_invalid', `${key} ${formatListenAddress(listen)}: ${reason}`, {
      cause,
    });
  }
}
