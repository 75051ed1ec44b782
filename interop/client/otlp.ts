import { Metadata } from '@grpc/grpc-js';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPLogExporter as GrpcExporter } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as JsonExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import type { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchLogRecordProcessor,
  LoggerProvider,
  type LogRecordExporter,
} from '@opentelemetry/sdk-logs';
import type { LogSet } from '../suite/log-set.ts';
import type { Sender } from './sender.ts';

/** JSON and protobuf over HTTP, and gRPC. */
export const otlpTransports = ['json', 'protobuf', 'grpc'] as const;

export type OtlpTransport = (typeof otlpTransports)[number];

export interface OtlpOptions {
  readonly headers?: Record<string, string>;
  readonly compression?: CompressionAlgorithm;
  readonly timeoutMillis?: number;
}

/** The listener that a transport goes to, by the name the node gives it. */
export function otlpListener(transport: OtlpTransport): string {
  return transport === 'grpc' ? 'otlp_grpc' : 'otlp_http';
}

/** The official exporter for logs. */
export function otlpExporter(
  transport: OtlpTransport,
  address: string,
  options: OtlpOptions = {},
): LogRecordExporter {
  if (transport === 'grpc') {
    const { headers = {}, ...rest } = options;
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    return new GrpcExporter({ url: `http://${address}`, metadata, ...rest });
  }
  const Exporter = transport === 'json' ? JsonExporter : ProtobufExporter;
  return new Exporter({ url: `http://${address}/v1/logs`, ...options });
}

/** Passes everything on to an exporter and remembers what that could not send: the SDK only logs it. */
class WatchedExporter implements LogRecordExporter {
  readonly #exporter: LogRecordExporter;
  readonly failures: Error[] = [];

  constructor(exporter: LogRecordExporter) {
    this.#exporter = exporter;
  }

  export(
    logs: Parameters<LogRecordExporter['export']>[0],
    callback: (result: ExportResult) => void,
  ): void {
    this.#exporter.export(logs, (result) => {
      if (result.code === ExportResultCode.FAILED) {
        this.failures.push(result.error ?? new Error('the exporter failed without an error'));
      }
      callback(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush();
  }
}

/** Sends lines through a logger of the official SDK; rejects with the first error of the exporter. */
export async function sendThroughSdk(
  exporter: LogRecordExporter,
  set: LogSet,
  attributes: Readonly<Record<string, string>>,
): Promise<void> {
  const watched = new WatchedExporter(exporter);
  const provider = new LoggerProvider({
    resource: resourceFromAttributes({ 'service.name': set.name, 'host.name': 'interop-host' }),
    processors: [
      new BatchLogRecordProcessor({ exporter: watched, maxQueueSize: set.lines.length + 1 }),
    ],
  });
  const logger = provider.getLogger('interop', '1.0.0');
  for (const [seq, body] of set.lines.entries()) {
    logger.emit({
      body,
      severityNumber: 9,
      severityText: 'INFO',
      attributes: { ...attributes, seq },
    });
  }
  await provider.shutdown();
  const [failure] = watched.failures;
  if (failure !== undefined) throw failure;
}

export function otlpSenders(): readonly Sender[] {
  return otlpTransports.map((transport) => {
    const name = `otlp-${transport}`;
    const listener = otlpListener(transport);
    return {
      name,
      source: listener,
      listener,
      send: (address, set) =>
        sendThroughSdk(otlpExporter(transport, address), set, { client: name }),
    };
  });
}
