import { listen, path } from '../base/option-types.ts';
import { optionalOption, option, type OptionTable } from '../base/option.ts';

export const serverOptions = {
  'server.listen': option(listen(), {
    default: '0.0.0.0:18080',
    description: 'Address of the HTTP API and the console.',
  }),
  'server.tls.cert_file': optionalOption(path(), {
    absent: 'plain HTTP',
    description:
      'Certificate chain (PEM). With it the port serves HTTPS only. Read again on SIGHUP.',
  }),
  'server.tls.key_file': optionalOption(path(), {
    absent: 'plain HTTP',
    description: 'Private key (PEM) of `server.tls.cert_file`. Read again on SIGHUP.',
  }),
} as const satisfies OptionTable;
