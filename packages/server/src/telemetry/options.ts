import { oneOf } from '../base/option-types.ts';
import { option, type OptionTable } from '../base/option.ts';

export const logOptions = {
  'log.level': option(oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal'), {
    default: 'info',
    description: 'Least severe level that is logged. Logs go to stderr.',
  }),
  'log.format': option(oneOf('auto', 'json', 'human'), {
    default: 'auto',
    description: '`auto` is `human` on a terminal and `json` elsewhere.',
  }),
} as const satisfies OptionTable;
