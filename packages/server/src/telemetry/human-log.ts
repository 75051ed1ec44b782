import type { DestinationStream } from 'pino';

const LEVEL_COLOURS: Readonly<Record<string, number>> = {
  trace: 90,
  debug: 90,
  info: 34,
  warn: 33,
  error: 31,
  fatal: 31,
};

/** Turns JSON log lines into ones for people: `12:01:02.123 INFO  http  listening address=…`. */
export class HumanLogStream implements DestinationStream {
  readonly #target: DestinationStream;

  constructor(target: DestinationStream) {
    this.#target = target;
  }

  write(line: string): void {
    this.#target.write(formatHumanLine(line));
  }
}

export function formatHumanLine(line: string): string {
  const { level, time, module, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const label = String(level);
  const head = [
    dim(String(time).slice(11, 23)),
    colour(LEVEL_COLOURS[label] ?? 0, label.toUpperCase().padEnd(5)),
    ...(module === undefined ? [] : [dim(String(module).padEnd(8))]),
    ...(msg === undefined ? [] : [String(msg)]),
    ...Object.entries(fields).map(([name, value]) => dim(`${name}=`) + formatValue(value)),
  ];
  return `${head.join(' ')}\n${formatError(err)}`;
}

function formatValue(value: unknown): string {
  if (typeof value === 'string' && /^[\w./:@[\]+-]+$/.test(value)) return value;
  return JSON.stringify(value);
}

function formatError(err: unknown): string {
  if (typeof err !== 'object' || err === null) return err === undefined ? '' : `  ${String(err)}\n`;
  const { stack, ...rest } = err as Record<string, unknown>;
  const text = typeof stack === 'string' ? stack : JSON.stringify(rest);
  return `${text.replace(/^/gm, '  ')}\n`;
}

const colour = (code: number, text: string): string => `\u001B[${code}m${text}\u001B[0m`;
const dim = (text: string): string => colour(2, text);
