import type { SqlAnswer } from './answer.ts';
import { writeLosslessJson, type JsonValue } from './lossless-json.ts';

/** One event of a result, as far as the query selected its columns. */
export interface EventRow {
  /** Names the event in a URL: its time and a hash of all it holds. */
  readonly key: string;
  readonly timestampNs: bigint | undefined;
  readonly service: string;
  readonly severity: string;
  readonly body: string;
  /** The other columns that hold something, in table order. */
  readonly columns: readonly (readonly [name: string, value: string])[];
  /** Sorted by key. */
  readonly attributes: readonly (readonly [key: string, value: string])[];
  readonly json: JsonValue;
}

const shownApart = new Set(['timestamp_ns', 'service', 'body', 'attributes']);

export function readEventRows(answer: SqlAnswer): EventRow[] {
  return answer.rows.map((row) => {
    const byName = new Map(answer.columns.map((name, index) => [name, row[index] ?? null]));
    const json = Object.fromEntries(byName);
    const attributes = attributesOf(byName.get('attributes'));
    const time = byName.get('timestamp_ns');
    const timestampNs =
      typeof time === 'bigint' || Number.isSafeInteger(time) ? BigInt(String(time)) : undefined;
    return {
      key: `${timestampNs ?? ''}-${hash(writeLosslessJson(json))}`,
      timestampNs,
      service: plainText(byName.get('service')),
      severity: attributes.find(([key]) => key === 'severity')?.[1].toUpperCase() ?? '',
      body: plainText(byName.get('body')),
      columns: Array.from(byName)
        .filter(([name, value]) => !shownApart.has(name) && value !== null)
        .map(([name, value]) => [name, plainText(value)]),
      attributes,
      json,
    };
  });
}

function attributesOf(value: JsonValue | undefined): [string, string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value)
    .map(([key, each]): [string, string] => [key, plainText(each)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function plainText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : writeLosslessJson(value);
}

/** FNV-1a, for telling the events of one result apart. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return (value >>> 0).toString(36);
}
