import { unknownMessage } from './nearest.ts';
import { envName, findOption, optionPaths } from './options.ts';
import type { Assignment, ConfigProblem, SourceReading } from './problem.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of the command line that are no options of the node. */
export const COMMAND_VARIABLES = ['VARVE_CONFIG', 'VARVE_URL', 'VARVE_TOKEN'] as const;

/**
 * Kubernetes sets such variables in every pod for a service named `varve` or `varve-…`;
 * they must not stop the start.
 */
const SERVICE_LINK =
  /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/** Reads every `VARVE_…` variable; one that names no option is a problem. */
export function readEnvSource(env: Environment): SourceReading {
  const pathByName = new Map(optionPaths.map((path) => [envName(path), path]));
  const names = [...pathByName.keys()];
  const assignments: Assignment[] = [];
  const problems: ConfigProblem[] = [];
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith('VARVE_') || text === undefined) continue;
    if (COMMAND_VARIABLES.some((known) => known === name) || SERVICE_LINK.test(name)) continue;
    const path = pathByName.get(name);
    const origin = { kind: 'env', name } as const;
    if (path === undefined) {
      problems.push({ message: unknownMessage('variable', name, names), origin });
    } else {
      assignments.push({ path, value: findOption(path)?.type.fromText(text), origin });
    }
  }
  return { assignments, problems };
}
