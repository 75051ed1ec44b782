import { parseArgs } from 'node:util';
import { DemoError } from './demo-error.ts';

export interface DemoOptions {
  readonly url: string;
  readonly otlpUrl: string | undefined;
  readonly bulkUrl: string | undefined;
  readonly token: string | undefined;
  readonly rate: number;
  readonly historyMs: number;
  readonly durationMs: number;
  readonly seed: number;
}

export const demoUsage = `usage: varve demo [options]

Replays a small shop into a running node: a day of history, then live, until you press Ctrl-C.

  --url <address>       API address of the node     (VARVE_URL or http://127.0.0.1:18080)
  --otlp-url <address>  OTLP/HTTP listener          (asked of the node)
  --bulk-url <address>  _bulk listener              (asked of the node)
  --token <token>       bearer token, if the node wants one (VARVE_TOKEN)
  --rate <n>            mean events per second      (50)
  --history <duration>  how far back to fill in     (24h; 0 for none)
  --duration <duration> how long to stay live       (until stopped)
  --seed <n>            another shop                (1)

Durations are like 90s, 10m, 24h, 7d. The same seed and rate give the same events at the same times, each with
a stable id: what was sent shortly before is not stored twice.
`;

/** Undefined when help is asked for. */
export function parseDemoOptions(
  argv: readonly string[],
  defaults: { readonly url?: string | undefined; readonly token?: string | undefined } = {},
): DemoOptions | undefined {
  const string = { type: 'string' } as const;
  const { values } = readArguments(() =>
    parseArgs({
      args: [...argv],
      options: {
        url: string,
        'otlp-url': string,
        'bulk-url': string,
        token: string,
        rate: string,
        history: string,
        duration: string,
        seed: string,
        help: { type: 'boolean', short: 'h' },
      },
    }),
  );
  if (values.help === true) return undefined;
  return {
    url: parseUrl('--url', values.url ?? defaults.url ?? 'http://127.0.0.1:18080'),
    otlpUrl: optionalUrl('--otlp-url', values['otlp-url']),
    bulkUrl: optionalUrl('--bulk-url', values['bulk-url']),
    token: values.token ?? defaults.token,
    rate: parseNumber('--rate', values.rate ?? '50', { min: 0.1, max: 100_000 }),
    historyMs: parseDuration('--history', values.history ?? '24h'),
    durationMs:
      values.duration === undefined ? Infinity : parseDuration('--duration', values.duration),
    seed: parseNumber('--seed', values.seed ?? '1', { min: 0, max: 4294967295 }),
  };
}

const unitsMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `90s`, `1.5h`, `0`; a bare number other than 0 is refused, since its unit is a guess. */
export function parseDuration(option: string, text: string): number {
  if (text === '0') return 0;
  const match = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text);
  const unitMs = unitsMs[match?.[2] ?? ''];
  if (unitMs === undefined) {
    throw new DemoError(`${option} takes a duration like 90s, 10m, 24h or 7d, not ${text}`);
  }
  return Number(match?.[1]) * unitMs;
}

function parseNumber(
  option: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (!(value >= min && value <= max)) {
    throw new DemoError(`${option} takes a number from ${min} to ${max}, not ${text}`);
  }
  return value;
}

function parseUrl(option: string, text: string): string {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new DemoError(`${option} takes an address like http://127.0.0.1:18080, not ${text}`);
  }
  return url.href;
}

function optionalUrl(option: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : parseUrl(option, text);
}

function readArguments<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new DemoError(`${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
