import { readdirSync, readFileSync } from 'node:fs';

/** The process that `pid` has started. Undefined where there is none, or no `/proc` to tell. */
export function childOf(pid: number): number | undefined {
  try {
    return readdirSync('/proc')
      .map(Number)
      .find((candidate) => candidate > 0 && parentOf(candidate) === pid);
  } catch {
    return undefined;
  }
}

/** proc(5): the parent is the second field after the command name, which ends with the last parenthesis. */
function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined; // It has ended.
  }
}
