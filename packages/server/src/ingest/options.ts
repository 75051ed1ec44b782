import {
  byteSize,
  integer,
  listen,
  oneOf,
  path,
  secretList,
  text,
  textList,
} from '../base/option-types.ts';
import { option, optionalOption, type OptionTable } from '../base/option.ts';

const limitOptions = {
  'ingest.max_event_bytes': option(byteSize({ min: 1024, max: 64 << 20 }), {
    default: '8MiB',
    unit: 'bytes',
    description:
      'Largest event: body, service name and attributes together. A larger one rejects its whole batch.',
  }),
  'ingest.max_attrs_per_event': option(integer({ min: 1, max: 65_536 }), {
    default: 4096,
    description: 'Most attributes of one event. An event with more rejects its whole batch.',
  }),
  'ingest.max_future_skew_secs': option(integer({ min: 0 }), {
    default: 604_800,
    unit: 'seconds',
    description: 'How far in the future the timestamp of an event may be.',
  }),
  'ingest.max_event_age_secs': optionalOption(integer({ min: 1 }), {
    absent: 'no limit',
    unit: 'seconds',
    description: 'How old the timestamp of an event may be.',
  }),
  'ingest.timestamp_action': option(oneOf('clamp', 'reject'), {
    default: 'clamp',
    description:
      'What happens to a timestamp out of range: moved to the nearest allowed value, or its batch is rejected.',
  }),
  'ingest.max_inflight_bytes': option(byteSize({ min: 1 << 20 }), {
    default: '256MiB',
    unit: 'bytes',
    description:
      'Request body bytes being processed at once across all HTTP listeners. Above it ingest answers 503 with `Retry-After`.',
  }),
  'ingest.hec_max_body_bytes': option(byteSize({ min: 1024, max: 1 << 30 }), {
    default: '16MiB',
    unit: 'bytes',
    description: 'Largest body of an HEC request, as it is sent and after decompression.',
  }),
  'ingest.dedup_window_events': option(integer({ min: 0, max: 100_000_000 }), {
    default: 1_000_000,
    unit: 'events',
    description:
      'How many recent stable event ids are remembered to drop retries. 0 turns de-duplication off.',
  }),
} as const satisfies OptionTable;

const dimension = (column: string, attributes: readonly string[]) =>
  option(textList('a list of attribute names'), {
    default: attributes,
    description: `Attributes that feed the column \`${column}\`; the first one present wins.`,
  });

const dimensionOptions = {
  'ingest.dimensions.service': dimension('service', ['service.name']),
  'ingest.dimensions.host': dimension('host', ['host.name', 'k8s.node.name', 'host', 'hostname']),
  'ingest.dimensions.env': dimension('env', [
    'deployment.environment.name',
    'deployment.environment',
    'env',
    'environment',
  ]),
  'ingest.dimensions.namespace': dimension('namespace', [
    'k8s.namespace.name',
    'service.namespace',
    'namespace',
  ]),
} as const satisfies OptionTable;

const listenOption = (what: string, address: string) =>
  option(listen(), { default: address, description: `Address of the ${what} listener.` });

const tokensOption = (what: string) =>
  optionalOption(secretList(), {
    absent: 'no authentication',
    description: `Tokens of which every request to the ${what} listener must carry one.`,
  });

const tenantOption = (what: string) =>
  option(text(), {
    default: 'default',
    description: `Tenant of events from the ${what} listener that name none.`,
  });

const certOption = (what: string) =>
  optionalOption(path(), {
    absent: 'no TLS',
    description: `Certificate chain (PEM) of the ${what} listener. With it the port takes TLS only. Read again on SIGHUP.`,
  });

const keyOption = (what: string) =>
  optionalOption(path(), {
    absent: 'no TLS',
    description: `Private key (PEM) of the certificate of the ${what} listener. Read again on SIGHUP.`,
  });

const listenerOptions = {
  'ingest.otlp.http.listen': listenOption('OTLP/HTTP', ':4318'),
  'ingest.otlp.http.tokens': tokensOption('OTLP/HTTP'),
  'ingest.otlp.http.tenant': tenantOption('OTLP/HTTP'),
  'ingest.otlp.http.tls.cert_file': certOption('OTLP/HTTP'),
  'ingest.otlp.http.tls.key_file': keyOption('OTLP/HTTP'),
  'ingest.otlp.grpc.listen': listenOption('OTLP/gRPC', ':4317'),
  'ingest.otlp.grpc.tokens': tokensOption('OTLP/gRPC'),
  'ingest.otlp.grpc.tenant': tenantOption('OTLP/gRPC'),
  'ingest.otlp.grpc.tls.cert_file': certOption('OTLP/gRPC'),
  'ingest.otlp.grpc.tls.key_file': keyOption('OTLP/gRPC'),
  'ingest.bulk.listen': listenOption('bulk', ':9200'),
  'ingest.bulk.tokens': tokensOption('bulk'),
  'ingest.bulk.tenant': tenantOption('bulk'),
  'ingest.bulk.rejection': option(oneOf('request', 'items'), {
    default: 'request',
    description:
      'How a rejected batch is answered: 400 for the whole request, or 200 with an error for every item, for shippers that retry a 400 for ever. Nothing is stored either way.',
  }),
  'ingest.bulk.tls.cert_file': certOption('bulk'),
  'ingest.bulk.tls.key_file': keyOption('bulk'),
  'ingest.loki.listen': listenOption('Loki', ':3100'),
  'ingest.loki.tokens': tokensOption('Loki'),
  'ingest.loki.tenant': tenantOption('Loki'),
  'ingest.loki.max_body_bytes': option(byteSize({ min: 1024, max: 1 << 30 }), {
    default: '32MiB',
    unit: 'bytes',
    description: 'Largest body of a Loki push, as it is sent and after decompression.',
  }),
  'ingest.loki.dedup': option(oneOf('on', 'off'), {
    default: 'on',
    description:
      'Whether an entry that is sent again (same tenant, labels, time, line and structured metadata) is stored once. Equal entries within one request are all stored.',
  }),
  'ingest.loki.tls.cert_file': certOption('Loki'),
  'ingest.loki.tls.key_file': keyOption('Loki'),
  'ingest.hec.listen': listenOption('HEC', ':8088'),
  'ingest.hec.tokens': tokensOption('HEC'),
  'ingest.hec.tenant': tenantOption('HEC'),
  'ingest.hec.ack': option(oneOf('on', 'off'), {
    default: 'on',
    description:
      'Whether a request that names a channel gets an acknowledgement id. One without a channel is taken all the same.',
  }),
  'ingest.hec.query_token': option(oneOf('on', 'off'), {
    default: 'off',
    description: 'Whether `?token=` in the URL is taken as a token. Proxies may log it.',
  }),
  'ingest.hec.id_field': optionalOption(text('the name of a field'), {
    absent: 'no de-duplication',
    description:
      'Member of `fields`, or of a structured `event`, that holds a stable id. Events of one id are stored once.',
  }),
  'ingest.hec.tls.cert_file': certOption('HEC'),
  'ingest.hec.tls.key_file': keyOption('HEC'),
  'ingest.firehose.listen': listenOption('Firehose', ':4433'),
  'ingest.firehose.tokens': tokensOption('Firehose'),
  'ingest.firehose.tenant': tenantOption('Firehose'),
  'ingest.firehose.max_body_bytes': option(byteSize({ min: 1024, max: 1 << 30 }), {
    default: '64MiB',
    unit: 'bytes',
    description:
      'Largest body of a Firehose delivery, as it is sent and after decompression. Its compressed records may inflate to four times as much.',
  }),
  'ingest.firehose.tls.cert_file': certOption('Firehose'),
  'ingest.firehose.tls.key_file': keyOption('Firehose'),
} as const satisfies OptionTable;

export const ingestOptions = {
  ...limitOptions,
  ...dimensionOptions,
  ...listenerOptions,
} as const satisfies OptionTable;
