import { unknownMessage } from './nearest.ts';
import { findOption, optionPaths } from './options.ts';
import type { Assignment, ConfigProblem, SourceReading } from './problem.ts';

export interface OptionFlag {
  readonly name: string;
  readonly text: string;
}

/** Flags carry the key itself, `--storage.publish_bytes 64MiB`; hyphens may stand for underscores. */
export function readFlagSource(flags: readonly OptionFlag[]): SourceReading {
  const assignments: Assignment[] = [];
  const problems: ConfigProblem[] = [];
  for (const { name, text } of flags) {
    const path = name.replaceAll('-', '_');
    const spec = findOption(path);
    const origin = { kind: 'flag', name } as const;
    if (spec === undefined) {
      problems.push({ message: unknownMessage('option', path, optionPaths), origin });
    } else if (spec.type.isSecret) {
      const message =
        'a secret on the command line is visible to other users; use the file or the environment';
      problems.push({ message, origin });
    } else {
      assignments.push({ path, value: spec.type.fromText(text), origin });
    }
  }
  return { assignments, problems };
}
