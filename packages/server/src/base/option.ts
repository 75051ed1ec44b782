import type { z } from 'zod';

/** How one kind of option is read, described and shown. */
export interface OptionType<T> {
  /** Takes what the YAML file holds (or `fromText` made of it) and gives the value modules see. */
  readonly schema: z.ZodType<T>;
  /** Completes "expected …" in a problem. */
  readonly expects: string;
  readonly isSecret: boolean;
  /** Turns the text of an environment variable or a flag into what a YAML file would hold. */
  fromText(text: string): unknown;
  /** Turns a value back into what a YAML file would hold; secrets come out redacted. */
  print(value: T): unknown;
}

export interface OptionSpec<T> {
  readonly type: OptionType<T>;
  /** As a user would write it. A string may name another option, as in `<data_dir>/bucket`. */
  readonly default: OptionInput | undefined;
  /** What the option means when it is absent; for options without a default. */
  readonly absent: string | undefined;
  readonly unit: string | undefined;
  readonly description: string;
}

export type OptionInput = string | number | boolean | readonly string[];

/** Options by dotted path, as in the YAML file: `ingest.max_event_bytes`. */
export type OptionTable = Readonly<Record<string, OptionSpec<unknown>>>;

interface Described {
  readonly description: string;
  readonly unit?: string;
}

/** An option that always has a value. */
export function option<T>(
  type: OptionType<T>,
  spec: Described & { readonly default: OptionInput },
): OptionSpec<T> {
  return { type, absent: undefined, unit: undefined, ...spec };
}

/** An option that may be absent; `absent` says in words what that means. */
export function optionalOption<T>(
  type: OptionType<T>,
  spec: Described & { readonly absent: string },
): OptionSpec<T | undefined> {
  const { schema, expects, isSecret } = type;
  return {
    type: {
      schema: schema.optional(),
      expects,
      isSecret,
      fromText: (text) => type.fromText(text),
      print: (value) => (value === undefined ? null : type.print(value)),
    },
    default: undefined,
    unit: undefined,
    ...spec,
  };
}
