import { severityOfName, severityOfSyslog } from '../../columns/index.ts';

const maxLevelBytes = 24;
const capacity = 16;

interface Known {
  readonly bytes: Uint8Array;
  readonly severity: number;
}

/** `level` as a number: 0 to 7 as in syslog, 10 to 60 as pino and bunyan count. */
function severityOfNumber(level: number): number {
  if (level >= 0 && level <= 7) return severityOfSyslog[level] ?? 0;
  if (level % 10 !== 0 || level < 10 || level > 60) return 0;
  return ((level - 10) / 10) * 4 + 1;
}

function isEqual(known: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < known.length; at++) if (known[at] !== bytes[start + at]) return false;
  return true;
}

/** Severity of level texts. A stream of events uses few of them, so the last ones are kept and found as bytes. */
export class SeverityMemo {
  readonly #known: Known[] = [];
  #next = 0;

  /** OTel SeverityNumber 1..24, 0 when the text names no level. */
  severityOf(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length === 0 || length > maxLevelBytes) return 0;
    for (const { bytes: known, severity } of this.#known) {
      if (known.length === length && isEqual(known, bytes, start)) return severity;
    }
    const own = bytes.slice(start, end);
    const text = new TextDecoder().decode(own);
    const severity = /^\d{1,2}$/.test(text) ? severityOfNumber(Number(text)) : severityOfName(text);
    this.#known[this.#next] = { bytes: own, severity };
    this.#next = (this.#next + 1) % capacity;
    return severity;
  }
}
