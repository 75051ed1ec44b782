import { FieldNames } from '../../codec/index.ts';
import type { SeverityMemo } from './severity-memo.ts';

/** Fields that hold the number of the OpenTelemetry data model rather than the name of a level. */
const numberField = 1;
/** The name that the event's own severity is stored under. */
const severityField = 2;

/** Names of fields that hold a level, most wanted first. */
const levelNames = [
  'log.level',
  'level',
  'severity_text',
  'otel.log.severity.text',
  'lvl',
  'loglevel',
  'log_level',
  'levelname',
  'syslog.severity',
  'detected_level',
] as const;

const syslogField = severityField + 2 + levelNames.indexOf('syslog.severity');
const noField = 1 << 30;

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function fieldNumbers(): Record<string, number> {
  const numbers: Record<string, number> = {
    severity_number: numberField,
    'otel.log.severity.number': numberField,
    severity: severityField,
  };
  for (const [rank, name] of ['severity', ...levelNames].entries()) {
    for (const spelling of [name, capitalized(name), name.toUpperCase()]) {
      numbers[spelling] ??= severityField + 1 + rank;
    }
  }
  return numbers;
}

const levelFields = new FieldNames(fieldNumbers());

/** 0 when the name is not that of a field that tells a level; else smaller for the more wanted ones. */
export function findLevelField(bytes: Uint8Array, start: number, end: number): number {
  return levelFields.find(bytes, start, end);
}

/** SeverityNumber 1..24 that the value of a level field stands for; 0 for none. */
export function severityOfField(
  field: number,
  memo: SeverityMemo,
  value: { readonly bytes: Uint8Array; readonly start: number; readonly end: number },
): number {
  const { bytes, start, end } = value;
  if (field !== numberField) {
    // Zero is an emergency to syslog, but the default level to most others that count.
    const isZero = end - start === 1 && bytes[start] === 0x30;
    return isZero && field !== syslogField ? 0 : memo.severityOf(bytes, start, end);
  }
  if (end - start > 2) return 0;
  let number = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) return 0;
    number = number * 10 + digit;
  }
  return number <= 24 ? number : 0;
}

/** The severity of one event, told by whichever of its level fields is the most wanted. */
export class FieldSeverity {
  readonly #memo: SeverityMemo;
  #field = noField;
  /** SeverityNumber 1..24, 0 for none so far. */
  severity = 0;

  constructor(memo: SeverityMemo) {
    this.#memo = memo;
  }

  clear(): void {
    this.#field = noField;
    this.severity = 0;
  }

  /**
   * Looks at a field that `findLevelField` knows. True when it must not become an attribute: the event's severity
   * is stored under its name.
   */
  note(field: number, bytes: Uint8Array, start: number, end: number): boolean {
    const severity = severityOfField(field, this.#memo, { bytes, start, end });
    if (severity === 0) return false;
    if (field < this.#field) {
      this.#field = field;
      this.severity = severity;
    }
    return field === severityField;
  }
}
