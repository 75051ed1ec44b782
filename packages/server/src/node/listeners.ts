import type { ListenAddress } from '../base/listen-address.ts';
import type { Secret } from '../base/secret.ts';
import { tlsFilesOf } from '../base/tls-material.ts';
import type { Config } from '../config/index.ts';
import { createBulkEndpoint } from '../ingest/bulk/index.ts';
import { createFirehoseEndpoint } from '../ingest/firehose/index.ts';
import { createGelfEndpoint } from '../ingest/gelf/index.ts';
import { GrpcListener, type IngestMethod } from '../ingest/grpc/index.ts';
import { createHecEndpoint } from '../ingest/hec/index.ts';
import {
  type HttpEndpoint,
  HttpListener,
  type InflightBudget,
  type IngestListener,
  type IngestPort,
} from '../ingest/http/index.ts';
import { createLokiEndpoint } from '../ingest/loki/index.ts';
import { otlpEndpoint, otlpExportMethod } from '../ingest/otlp/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { openAt } from './bind.ts';
import { openGelfSockets } from './gelf-sockets.ts';
import { openConfiguredQueue } from './sqs-source.ts';

interface ListenerSpec {
  readonly name: string;
  readonly key: string;
  readonly entry:
    | { readonly kind: 'http'; readonly endpoints: readonly [HttpEndpoint, ...HttpEndpoint[]] }
    | { readonly kind: 'grpc'; readonly method: IngestMethod };
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
      entry: { kind: 'http', endpoints: [otlpEndpoint] },
      settings: ingest.otlp.http,
    },
    {
      name: 'otlp_grpc',
      key: 'ingest.otlp.grpc.listen',
      entry: { kind: 'grpc', method: otlpExportMethod },
      settings: ingest.otlp.grpc,
    },
    {
      name: 'bulk',
      key: 'ingest.bulk.listen',
      entry: { kind: 'http', endpoints: [createBulkEndpoint()] },
      settings: ingest.bulk,
    },
    {
      name: 'loki',
      key: 'ingest.loki.listen',
      // Loki takes OTLP on the same port, at `/otlp/v1/logs`.
      entry: { kind: 'http', endpoints: [createLokiEndpoint(ingest.loki), otlpEndpoint] },
      settings: ingest.loki,
    },
    {
      name: 'hec',
      key: 'ingest.hec.listen',
      entry: {
        kind: 'http',
        endpoints: [
          createHecEndpoint({
            maxBodyBytes: ingest.hecMaxBodyBytes,
            allowsQueryToken: ingest.hec.queryToken === 'on',
            isAccepting: () => port.isAccepting(),
          }),
        ],
      },
      settings: ingest.hec,
    },
    {
      name: 'firehose',
      key: 'ingest.firehose.listen',
      entry: { kind: 'http', endpoints: [createFirehoseEndpoint(ingest.firehose)] },
      settings: ingest.firehose,
    },
    {
      name: 'gelf_http',
      key: 'ingest.gelf.http_listen',
      entry: { kind: 'http', endpoints: [createGelfEndpoint(ingest.gelf.maxMessageBytes)] },
      settings: { ...ingest.gelf, listen: ingest.gelf.httpListen },
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
    for await (const listener of openGelfSockets(options)) opened.push(listener);
    for await (const source of openConfiguredQueue(options)) opened.push(source);
    return opened;
  } catch (error) {
    await Promise.all(opened.map((listener) => listener.close()));
    throw error;
  }
}

async function openListener(
  { name, key, entry, settings }: ListenerSpec,
  { port, budget, logger }: OpenListenersOptions,
): Promise<IngestListener | undefined> {
  const { listen, tokens = [], tenant, tls } = settings;
  if (listen === 'off') return undefined;
  return openAt<IngestListener>(key, listen, (address) => {
    const common = {
      name,
      address,
      port,
      budget,
      tokens,
      tenant,
      tls: tlsFilesOf(key.replace(/(http_)?listen$/, 'tls'), tls),
      log: logger.child({ module: name }),
    };
    return entry.kind === 'http'
      ? HttpListener.open({ ...common, endpoints: entry.endpoints })
      : GrpcListener.open({ ...common, method: entry.method });
  });
}
