import { resolve } from 'node:path';
import { z } from 'zod';
import { option, type OptionTable, type OptionType } from '../base/option.ts';

/** Where the bucket is; the path is absolute. */
export interface BucketLocation {
  readonly kind: 'file';
  readonly path: string;
}

const bucket: OptionType<BucketLocation> = {
  schema: z
    .string()
    .refine((value) => !value.startsWith('s3://'), {
      message: 's3:// buckets are not yet available in this version; use file://',
    })
    .refine((value) => value.startsWith('s3://') || /^file:\/\/[^\0]/.test(value))
    .transform((value) => ({ kind: 'file', path: resolve(value.slice('file://'.length)) })),
  expects: 'a location such as file:///var/lib/varve/bucket',
  isSecret: false,
  fromText: (text) => text,
  print: (location) => `file://${location.path}`,
};

export const bucketOptions = {
  'storage.bucket': option(bucket, {
    default: 'file://<data_dir>/bucket',
    description:
      'Bucket that holds the tables: a local directory, `file://` and its path as it is.',
  }),
} as const satisfies OptionTable;
