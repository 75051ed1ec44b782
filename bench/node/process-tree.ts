import { readdirSync, readFileSync } from 'node:fs';

/** Processor time and memory of a process with all its descendants. Linux only: elsewhere undefined. */
export interface TreeUsage {
  /** Shared pages count once for each process, so the sum is an upper bound. */
  readonly rssBytes: number;
  readonly rootRssBytes: number;
  /** Of descendants that have ended too, once their parent has waited for them. */
  readonly cpuSeconds: number;
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
  for (let size = 0; size !== members.size;) {
    size = members.size;
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid);
  }
  const tree = all.filter(({ pid }) => members.has(pid));
  return {
    rssBytes: tree.reduce((sum, { rssPages }) => sum + rssPages * pageBytes, 0),
    rootRssBytes: (tree.find(({ pid }) => pid === root)?.rssPages ?? 0) * pageBytes,
    cpuSeconds: tree.reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond,
  };
}

function readProcesses(): ProcessStat[] | undefined {
  const names = readDirectory('/proc').filter((name) => /^\d+$/.test(name));
  if (names.length === 0) return undefined;
  return names.flatMap((name) => {
    const stat = readStatFile(`/proc/${name}/stat`);
    if (stat === undefined) return [];
    const ticks = stat.field(14) + stat.field(15) + stat.field(16) + stat.field(17);
    return [{ pid: Number(name), parent: stat.field(4), ticks, rssPages: stat.field(24) }];
  });
}

interface StatFile {
  readonly name: string;
  /** By its number in proc(5). */
  field(number: number): number;
}

/** Undefined when the process or thread has ended. */
function readStatFile(path: string): StatFile | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
  // The name may hold anything; it ends with the last parenthesis.
  const nameEnd = text.lastIndexOf(')');
  const fields = text.slice(nameEnd + 2).split(' ');
  return {
    name: text.slice(text.indexOf('(') + 1, nameEnd),
    field: (number) => Number(fields[number - 3] ?? 0),
  };
}

function readDirectory(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Processor seconds of the threads of one process so far, by thread name; threads of one name together. */
export function threadSeconds(pid: number): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>();
  for (const thread of readDirectory(`/proc/${pid}/task`)) {
    const stat = readStatFile(`/proc/${pid}/task/${thread}/stat`);
    if (stat === undefined) continue;
    const ticks = stat.field(14) + stat.field(15);
    seconds.set(stat.name, (seconds.get(stat.name) ?? 0) + ticks / ticksPerSecond);
  }
  return seconds;
}
