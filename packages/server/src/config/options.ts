import { path } from '../base/option-types.ts';
import { option, type OptionSpec, type OptionTable } from '../base/option.ts';
import { authOptions, retentionOptions } from '../govern/options.ts';
import { serverOptions } from '../http/options.ts';
import { gelfOptions } from '../ingest/gelf/options.ts';
import { ingestOptions } from '../ingest/options.ts';
import { sqsOptions } from '../ingest/sqs/options.ts';
import { bucketOptions } from '../lake/options.ts';
import { pipelineOptions } from '../pipeline/options.ts';
import { queryOptions } from '../query/options.ts';
import { logOptions } from '../telemetry/options.ts';

/**
 * Every option of the node, in the order of the reference page. Types, environment names, flags, printing
 * and the reference are derived from it.
 */
export const options = {
  data_dir: option(path(), {
    default: './data',
    description: 'Directory of the write-ahead log, the sealed files and the range cache.',
  }),
  ...bucketOptions,
  ...pipelineOptions,
  ...retentionOptions,
  ...serverOptions,
  ...authOptions,
  ...ingestOptions,
  ...gelfOptions,
  ...sqsOptions,
  ...queryOptions,
  ...logOptions,
} as const satisfies OptionTable;

export type OptionPath = keyof typeof options;

export const optionPaths = Object.keys(options) as readonly OptionPath[];

/** Looks an option up by a path that may not exist. */
export function findOption(path: string): OptionSpec<unknown> | undefined {
  return Object.hasOwn(options, path) ? (options as OptionTable)[path] : undefined;
}

export const isOptionPath = (path: string): path is OptionPath => Object.hasOwn(options, path);

/** `ingest.max_event_bytes` → `VARVE_INGEST__MAX_EVENT_BYTES`. */
export function envName(path: string): string {
  return `VARVE_${path.toUpperCase().replaceAll('.', '__')}`;
}

type OptionValue<S> = S extends OptionSpec<infer T> ? T : never;
type Flat = { readonly [P in OptionPath]: OptionValue<(typeof options)[P]> };

type Camel<S extends string> = S extends `${infer A}_${infer B}`
  ? `${A}${Capitalize<Camel<B>>}`
  : S;
type Head<P extends string> = P extends `${infer H}.${string}` ? H : P;
type Nested<T> = {
  readonly [H in Head<keyof T & string> as Camel<H>]: H extends keyof T
    ? T[H]
    : Nested<{ readonly [P in keyof T & string as P extends `${H}.${infer R}` ? R : never]: T[P] }>;
};

/** The whole configuration as modules see it: `config.ingest.otlp.http.listen`. Deeply frozen. */
export type Config = Nested<Flat>;
