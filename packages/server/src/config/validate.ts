import type { z } from 'zod';
import type { OptionSpec } from '../base/option.ts';
import { findOption, options, optionPaths, type OptionPath } from './options.ts';
import type { Assignment, ConfigProblem, Origin } from './problem.ts';

export interface EffectiveOption {
  readonly value: unknown;
  readonly origin: Origin;
}

export interface Validated {
  readonly effective: ReadonlyMap<OptionPath, EffectiveOption>;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Validates every assignment, the overridden ones too, and fills in the defaults.
 * Assignments are in rising precedence.
 */
export function validateAssignments(assignments: readonly Assignment[]): Validated {
  const problems: ConfigProblem[] = [];
  const given = new Map<string, EffectiveOption>();
  const seenInFile = new Set<string>();
  for (const { path, value, origin } of assignments) {
    if (origin.kind === 'file' && seenInFile.has(path)) {
      problems.push({ key: path, message: 'the key is set twice', origin });
    }
    if (origin.kind === 'file') seenInFile.add(path);
    const spec = findOption(path);
    if (spec === undefined || (value === null && spec.default === undefined)) continue;
    const parsed = spec.type.schema.safeParse(value);
    if (parsed.success) given.set(path, { value: parsed.data, origin });
    else problems.push({ key: path, message: describe(spec, value, parsed.error), origin });
  }
  const effective = new Map<OptionPath, EffectiveOption>();
  for (const path of optionPaths) {
    effective.set(path, given.get(path) ?? defaultOf(path, effective));
  }
  return { effective, problems };
}

function defaultOf(
  path: OptionPath,
  known: ReadonlyMap<OptionPath, EffectiveOption>,
): EffectiveOption {
  const spec: OptionSpec<unknown> = options[path];
  const origin = { kind: 'default' } as const;
  if (spec.default === undefined) return { value: undefined, origin };
  const input =
    typeof spec.default === 'string'
      ? spec.default.replace(/<(\w+)>/, (_, name: OptionPath) => String(known.get(name)?.value))
      : spec.default;
  return { value: spec.type.schema.parse(input), origin };
}

function describe(spec: OptionSpec<unknown>, value: unknown, error: z.ZodError): string {
  const own = error.issues.find(
    (issue) => issue.code === 'custom' && issue.message !== 'Invalid input',
  );
  if (own !== undefined) return own.message;
  return `expected ${spec.type.expects}${spec.type.isSecret ? '' : `, got ${shown(value)}`}`;
}

const MAX_SHOWN = 60;

function shown(value: unknown): string {
  if (value === null) return 'nothing';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
