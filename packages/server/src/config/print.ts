import type { OptionSpec } from '../base/option.ts';
import type { LoadedConfig } from './load.ts';
import { options } from './options.ts';
import { formatOrigin } from './problem.ts';

/** The effective configuration as YAML, each value with its origin; secrets are redacted. */
export function printConfig(loaded: LoadedConfig): string {
  const lines: string[] = [];
  let open: readonly string[] = [];
  for (const [path, { value, origin }] of loaded.effective) {
    const names = path.split('.');
    const sections = names.slice(0, -1);
    let shared = 0;
    while (shared < sections.length && sections[shared] === open[shared]) shared += 1;
    for (let depth = shared; depth < sections.length; depth += 1) {
      lines.push(`${'  '.repeat(depth)}${sections[depth] ?? ''}:`);
    }
    open = sections;
    const spec: OptionSpec<unknown> = options[path];
    const absent = value === undefined && spec.absent !== undefined ? ` (${spec.absent})` : '';
    lines.push(
      `${'  '.repeat(sections.length)}${names.at(-1) ?? ''}: ${JSON.stringify(spec.type.print(value))} # ${formatOrigin(origin)}${absent}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
