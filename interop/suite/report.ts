import type { CheckResult } from './check-list.ts';

const reasonMaxLength = 2000;

/** One line for a check, with its reason when it has one. */
export function formatResult({ group, name, outcome, seconds }: CheckResult): string {
  const head = `${outcome.state.padEnd(7)} ${seconds.toFixed(1).padStart(6)} s  ${group}: ${name}`;
  if (outcome.state === 'passed') return head;
  return `${head}\n${indent(outcome.reason.slice(0, reasonMaxLength))}`;
}

/** Figures for each group, what failed and what was skipped, and the closing line. */
export function formatSummary(results: readonly CheckResult[]): string {
  const groups = [...new Set(results.map(({ group }) => group))];
  const width = Math.max(5, ...groups.map((group) => group.length));
  const row = (name: string, counts: readonly (string | number)[]): string =>
    [name.padEnd(width), ...counts.map((count) => String(count).padStart(8))].join('');
  const rows = groups.map((group) => {
    const own = results.filter((result) => result.group === group);
    return row(group, [countOf(own, 'passed'), countOf(own, 'failed'), countOf(own, 'skipped')]);
  });
  const notPassed = results.filter(({ outcome }) => outcome.state !== 'passed').map(formatResult);
  return [
    row('group', ['passed', 'failed', 'skipped']),
    ...rows,
    ...(notPassed.length === 0 ? [] : ['', ...notPassed]),
    '',
    closingLine(results),
  ].join('\n');
}

export function countOf(
  results: readonly CheckResult[],
  state: CheckResult['outcome']['state'],
): number {
  return results.filter(({ outcome }) => outcome.state === state).length;
}

function closingLine(results: readonly CheckResult[]): string {
  const states = ['passed', 'failed', 'skipped'] as const;
  return states.map((state) => `${countOf(results, state)} ${state}`).join(', ');
}

function indent(text: string): string {
  return text.replace(/^/gm, '                  ');
}
