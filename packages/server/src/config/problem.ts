import { NodeError } from '../base/errors.ts';

/** Where a value came from. */
export type Origin =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly path: string; readonly line: number | undefined }
  | { readonly kind: 'env'; readonly name: string }
  | { readonly kind: 'flag'; readonly name: string };

export interface ConfigProblem {
  /** Key, variable or flag at fault; absent when the file as a whole is. */
  readonly key?: string;
  readonly message: string;
  readonly origin: Origin;
}

/** One source's claim on one option, not validated yet. */
export interface Assignment {
  readonly path: string;
  readonly value: unknown;
  readonly origin: Origin;
}

export interface SourceReading {
  readonly assignments: readonly Assignment[];
  readonly problems: readonly ConfigProblem[];
}

export function formatOrigin(origin: Origin): string {
  switch (origin.kind) {
    case 'default':
      return 'default';
    case 'file':
      return origin.line === undefined ? origin.path : `${origin.path}:${origin.line}`;
    case 'env':
      return origin.name;
    case 'flag':
      return `--${origin.name}`;
  }
}

export function formatProblem(problem: ConfigProblem): string {
  const place = problem.origin.kind === 'default' ? '' : `${formatOrigin(problem.origin)}: `;
  return `${place}${problem.key === undefined ? '' : `${problem.key}: `}${problem.message}`;
}

/** All problems at once. The message lists them line by line; values of secrets are never in it. */
export function configError(problems: readonly ConfigProblem[]): NodeError {
  const lines = problems.map((problem) => `  - ${formatProblem(problem)}`);
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return new NodeError('config_invalid', `${count} in the configuration:\n${lines.join('\n')}`, {
    details: { problems: problems.map(formatProblem) },
  });
}
