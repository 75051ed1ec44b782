import { readdirSync, readFileSync } from 'node:fs';

/** Processor time and memory of a process with all its descendants. Linux only: elsewhere undefined. */
export interface TreeUsage {
  /** Shared pages count once for each process, so the sum is an upper bound. */
  readonly rssBytes: number;
  /** Of descendants that have ended too, once their parent has waited for them. */
  readonly cpuSeconds: number;
  readonly processes: number;
}

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
  readonly rssPages: number;
}

/** USER_HZ and the page size of every Linux that Node.js runs on by default. */
const ticksPerSecond = 100;
const pageBytes = 4096;

export function treeUsage(root: number): TreeUsage | undefined {
  const all = readProcesses();
  if (all === undefined) return undefined;
  const members = new Set([root]);
  // Children are found after their parents, whatever the order of their ids.
  for (let size = 0; size !== members.size; ) {
    size = members.size;
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid);
  }
  const tree = all.filter(({ pid }) => members.has(pid));
  return {
    rssBytes: tree.reduce((sum, { rssPages }) => sum + rssPages * pageBytes, 0),
    cpuSeconds: tree.reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond,
    processes: tree.length,
  };
}

function readProcesses(): ProcessStat[] | undefined {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readStat(Number(name)));
  } catch {
    return undefined;
  }
}

/** proc(5): the fields after the command name, which ends with the last parenthesis. */
function readStat(pid: number): ProcessStat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const field = (number: number): number => fields[number - 3] ?? 0;
    const ticks = field(14) + field(15) + field(16) + field(17);
    return [{ pid, parent: field(4), ticks, rssPages: field(24) }];
  } catch {
    return []; // It has ended.
  }
}
