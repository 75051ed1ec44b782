import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_bytes: number;
  readonly node: string;
  readonly os: string;
  /** Over the minute before the run: what else the machine was doing. */
  readonly load_before: number;
}

/** What something else reaches with the same bytes, on the same machine, in the same run. */
export interface Reference {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
}

export type Target = { readonly at_least: number } | { readonly at_most: number };

type Detail = number | string | boolean | Readonly<Record<string, number>>;

export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: Target;
  readonly reference?: Reference;
  /** How it was measured: sizes, rates, processor time. */
  readonly details?: Readonly<Record<string, Detail>>;
}

/** One line of the output. */
export interface Result extends Measurement {
  readonly mode: Mode;
  readonly machine: Machine;
}

/** `quick` is for continuous integration: small sizes that show breakage, not speed. */
export type Mode = 'full' | 'quick';

export function describeMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model ?? 'unknown',
    cores: all.length,
    memory_bytes: totalmem(),
    node: process.version,
    os: `${platform()} ${release()} ${arch()}`,
    load_before: rounded(loadavg()[0] ?? 0),
  };
}

/** Four significant digits say all that a benchmark knows. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

export function meetsTarget({ value, target }: Measurement): boolean | undefined {
  if (target === undefined) return undefined;
  return 'at_least' in target ? value >= target.at_least : value <= target.at_most;
}

/** For people; the JSON lines are the result. */
export function formatSummary(results: readonly Measurement[]): string {
  const rows = results.map((result) => [
    result.name,
    `${result.value} ${result.unit}`,
    formatTarget(result),
    result.reference === undefined
      ? ''
      : `${result.reference.value} ${result.reference.unit} (${result.reference.what})`,
  ]);
  const head = ['row', 'value', 'target', 'reference'];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function formatTarget(result: Measurement): string {
  const { target } = result;
  if (target === undefined) return '';
  const text = 'at_least' in target ? `>= ${target.at_least}` : `<= ${target.at_most}`;
  return `${text} ${meetsTarget(result) === true ? 'met' : 'missed'}`;
}
