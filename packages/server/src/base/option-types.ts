import { resolve } from 'node:path';
import { z } from 'zod';
import { parseByteSize } from './byte-size.ts';
import { formatListenAddress, parseListenAddress, type ListenAddress } from './listen-address.ts';
import type { OptionType } from './option.ts';
import { Secret } from './secret.ts';

const identity = <T>(value: T): T => value;

/** Environment variables hold text; only plain decimal numbers turn into numbers. */
const numberFromText = (text: string): unknown =>
  /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;

const listFromText = (text: string): unknown => text.split(',').map((item) => item.trim());

export function text(expects = 'text'): OptionType<string> {
  return {
    schema: z.string().min(1),
    expects,
    isSecret: false,
    fromText: identity,
    print: identity,
  };
}

export function textList(expects = 'a list of texts'): OptionType<readonly string[]> {
  return {
    schema: z.array(z.string().min(1)).readonly(),
    expects,
    isSecret: false,
    fromText: listFromText,
    print: identity,
  };
}

export function secret(): OptionType<Secret> {
  return {
    schema: z
      .string()
      .min(1)
      .transform((value) => new Secret(value)),
    expects: 'a text that is not empty',
    isSecret: true,
    fromText: identity,
    print: String,
  };
}

export function secretList(): OptionType<readonly Secret[]> {
  return {
    schema: z
      .array(
        z
          .string()
          .min(1)
          .transform((value) => new Secret(value)),
      )
      .readonly(),
    expects: 'a list of texts that are not empty',
    isSecret: true,
    fromText: listFromText,
    print: (value) => value.map(String),
  };
}

export interface Range {
  readonly min: number;
  readonly max?: number;
}

export function integer(range: Range): OptionType<number> {
  const max = range.max ?? Number.MAX_SAFE_INTEGER;
  return {
    schema: z.int().min(range.min).max(max),
    expects:
      range.max === undefined
        ? `an integer of at least ${range.min}`
        : `an integer from ${range.min} to ${range.max}`,
    isSecret: false,
    fromText: numberFromText,
    print: identity,
  };
}

/** A size in bytes: an integer, or text such as `64MiB`. */
export function byteSize(range: Range): OptionType<number> {
  return {
    schema: z
      .union([z.number(), z.string().transform((value) => parseByteSize(value) ?? Number.NaN)])
      .pipe(
        z
          .int()
          .min(range.min)
          .max(range.max ?? Number.MAX_SAFE_INTEGER),
      ),
    expects: `a size of at least ${range.min} bytes, such as 64MiB or 67108864`,
    isSecret: false,
    fromText: numberFromText,
    print: identity,
  };
}

export function oneOf<const T extends string>(...values: readonly T[]): OptionType<T> {
  return {
    schema: z.enum(values),
    expects: values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`,
    isSecret: false,
    fromText: identity,
    print: identity,
  };
}

/** A path, made absolute against the working directory. */
export function path(): OptionType<string> {
  return {
    schema: z
      .string()
      .min(1)
      .transform((value) => resolve(value)),
    expects: 'a path',
    isSecret: false,
    fromText: identity,
    print: identity,
  };
}

/** An address to listen on. YAML habits such as a bare port or `false` are understood. */
export function listen(): OptionType<ListenAddress> {
  return {
    schema: z
      .union([
        z.string(),
        z.int().transform((port) => `:${port}`),
        z.literal(false).transform(() => 'off'),
      ])
      .transform((value, context) => {
        const address = parseListenAddress(value);
        if (address !== undefined) return address;
        context.addIssue({ code: 'custom' });
        return z.NEVER;
      }),
    expects: 'an address such as 0.0.0.0:4318, :4318 or [::1]:4318, or off',
    isSecret: false,
    fromText: identity,
    print: formatListenAddress,
  };
}
