import { integer, secret } from '../base/option-types.ts';
import { optionalOption, type OptionTable } from '../base/option.ts';

export const authOptions = {
  'auth.query_api_token': optionalOption(secret(), {
    absent: 'the API runs without authentication',
    description:
      'Token that every `/v1/*` request must carry as `Authorization: Bearer <token>`. It has the admin role.',
  }),
} as const satisfies OptionTable;

export const retentionOptions = {
  'storage.retention_window_days': optionalOption(integer({ min: 1, max: 36_500 }), {
    absent: 'unlimited',
    unit: 'days',
    description: 'Age after which events are deleted.',
  }),
  'retention.min_window_days': optionalOption(integer({ min: 1, max: 36_500 }), {
    absent: 'no floor',
    unit: 'days',
    description:
      'Compliance floor: the node does not start with a configuration that would delete data sooner.',
  }),
} as const satisfies OptionTable;
