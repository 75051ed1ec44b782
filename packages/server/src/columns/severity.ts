const encoder = new TextEncoder();

export interface SeverityText {
  readonly name: Uint8Array;
  readonly number: Uint8Array;
}

const ranges = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;

/** OTel SeverityNumber 1..24 → the two attributes, precomputed as bytes. */
const byNumber: readonly SeverityText[] = Array.from({ length: 24 }, (_, index) => ({
  name: encoder.encode(ranges[Math.floor(index / 4)]),
  number: encoder.encode(String(index + 1)),
}));

export function severityText(severityNumber: number): SeverityText | undefined {
  return byNumber[severityNumber - 1];
}

/** OTel log data model, appendix B, and the names that text logs use in the wild. */
const numberByName: Readonly<Record<string, number>> = {
  trace: 1,
  finest: 1,
  finer: 1,
  verbose: 1,
  trc: 1,
  debug: 5,
  fine: 5,
  dbg: 5,
  config: 5,
  d: 5,
  info: 9,
  information: 9,
  informational: 9,
  inf: 9,
  i: 9,
  notice: 10,
  note: 10,
  warn: 13,
  warning: 13,
  wrn: 13,
  w: 13,
  error: 17,
  err: 17,
  severe: 17,
  eror: 17,
  e: 17,
  critical: 18,
  crit: 18,
  alert: 19,
  fatal: 21,
  emerg: 21,
  emergency: 21,
  panic: 21,
  f: 21,
};

/** SeverityNumber of a level's name in any case (`Warning`, `err`, `INFO2`), or 0 when it names none. */
export function severityOfName(name: string): number {
  const lower = name.trim().toLowerCase();
  const known = numberByName[lower];
  if (known !== undefined) return known;
  const numbered = /^(trace|debug|info|warn|error|fatal)([2-4])$/.exec(lower);
  if (numbered === null) return 0;
  return (numberByName[numbered[1] ?? ''] ?? 0) + Number(numbered[2]) - 1;
}

/** RFC 5424 severity 0..7 → SeverityNumber. */
export const severityOfSyslog: readonly number[] = [21, 19, 18, 17, 13, 10, 9, 5];
