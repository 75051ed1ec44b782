import { readFile } from 'node:fs/promises';
import { crossCheck } from './cross-check.ts';
import { readEnvSource, type Environment } from './env-source.ts';
import { readFileSource } from './file-source.ts';
import { readFlagSource, type OptionFlag } from './flag-source.ts';
import { bindListeners } from './listeners.ts';
import type { Config, OptionPath } from './options.ts';
import { configError, type SourceReading } from './problem.ts';
import { validateAssignments, type EffectiveOption } from './validate.ts';

export interface ConfigSources {
  readonly file?: { readonly path: string; readonly text: string };
  readonly env?: Environment;
  readonly flags?: readonly OptionFlag[];
}

export interface LoadedConfig {
  readonly config: Config;
  /** Every option with where its value came from, in the order of the option table. */
  readonly effective: ReadonlyMap<OptionPath, EffectiveOption>;
  /** Sentences to log at start. */
  readonly notices: readonly string[];
}

/**
 * Merges flags over environment over file over defaults.
 * @throws NodeError `config_invalid` with every problem of every source.
 */
export function resolveConfig(sources: ConfigSources): LoadedConfig {
  const readings: readonly SourceReading[] = [
    sources.file === undefined ? NOTHING : readFileSource(sources.file.path, sources.file.text),
    readEnvSource(sources.env ?? {}),
    readFlagSource(sources.flags ?? []),
  ];
  const validated = validateAssignments(readings.flatMap((reading) => reading.assignments));
  const { effective, notices } = bindListeners(validated.effective);
  const problems = [
    ...readings.flatMap((reading) => reading.problems),
    ...validated.problems,
    ...crossCheck(effective),
  ];
  if (problems.length > 0) throw configError(problems);
  return { config: nest(effective), effective, notices };
}

const NOTHING: SourceReading = { assignments: [], problems: [] };

export interface LoadOptions {
  readonly configPath?: string | undefined;
  readonly env: Environment;
  readonly flags?: readonly OptionFlag[];
}

/** Like `resolveConfig`, reading the file from `configPath` or `VARVE_CONFIG`. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { env, flags = [] } = options;
  const path = options.configPath ?? env['VARVE_CONFIG'];
  if (path === undefined) return resolveConfig({ env, flags });
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const message = `the file cannot be read (${error.code ?? 'unknown error'})`;
    throw configError([{ message, origin: { kind: 'file', path, line: undefined } }]);
  });
  return resolveConfig({ file: { path, text }, env, flags });
}

type Section = { [key: string]: unknown };

function nest(effective: ReadonlyMap<OptionPath, EffectiveOption>): Config {
  const root: Section = {};
  for (const [path, { value }] of effective) {
    const names = path.split('.').map(camelCase);
    let section = root;
    for (const name of names.slice(0, -1)) {
      section = (section[name] ??= {}) as Section;
    }
    section[names.at(-1) ?? path] = value;
  }
  deepFreeze(root);
  return root as Config;
}

const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
}
