import { byteSize, listen, oneOf, path, secretList, text } from '../../base/option-types.ts';
import { option, optionalOption, type OptionTable } from '../../base/option.ts';

export const gelfOptions = {
  'ingest.gelf.udp_listen': option(listen(), {
    default: ':12201',
    description: 'Address of the GELF listener for UDP.',
  }),
  'ingest.gelf.tcp_listen': option(listen(), {
    default: ':12201',
    description: 'Address of the GELF listener for TCP.',
  }),
  'ingest.gelf.http_listen': option(listen(), {
    default: ':12202',
    description: 'Address of the GELF listener for HTTP.',
  }),
  'ingest.gelf.tokens': optionalOption(secretList(), {
    absent: 'no authentication',
    description:
      'Tokens of which every GELF request over HTTP must carry one. UDP and TCP carry no credentials.',
  }),
  'ingest.gelf.tenant': option(text(), {
    default: 'default',
    description: 'Tenant of GELF events; over HTTP of those that name none.',
  }),
  'ingest.gelf.max_message_bytes': option(byteSize({ min: 1024, max: 64 << 20 }), {
    default: '8MiB',
    unit: 'bytes',
    description:
      'Largest GELF message, as it is sent and after decompression. Over HTTP it is the limit of the body.',
  }),
  'ingest.gelf.tcp_delimiter': option(oneOf('nul', 'newline'), {
    default: 'nul',
    description:
      'What ends a message over TCP: a NUL byte, or a line feed as well, for senders that end messages so.',
  }),
  'ingest.gelf.id_field': optionalOption(text('the name of a field'), {
    absent: 'no de-duplication',
    description:
      'Additional field, such as `_event_id`, whose value is a stable id of the event: a repeated one is stored once.',
  }),
  'ingest.gelf.tls.cert_file': optionalOption(path(), {
    absent: 'no TLS',
    description:
      'Certificate chain (PEM) of the GELF listeners for TCP and HTTP. With it both take TLS only. Read again on SIGHUP.',
  }),
  'ingest.gelf.tls.key_file': optionalOption(path(), {
    absent: 'no TLS',
    description:
      'Private key (PEM) of the certificate of the GELF listeners. Read again on SIGHUP.',
  }),
} as const satisfies OptionTable;
