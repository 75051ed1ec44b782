/**
 * An integer of a foreign metadata file. Snapshot ids may use 63 bits, so those that a double cannot hold are
 * bigints and all others numbers; the form is canonical, so `===` compares two of them.
 */
export type JsonInteger = number | bigint;

const INTEGER = /^-?\d+$/;

/** `JSON.parse` with a reviver that also receives the source text of a primitive (ES2025). */
type SourceAwareParse = (
  text: string,
  reviver: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
) => unknown;

/** Parses metadata of any writer: integers keep all digits, and null members count as absent. */
export function parseJson(text: string): unknown {
  const parse: SourceAwareParse = JSON.parse;
  return parse(text, (_key, value, context) => {
    if (value === null) return undefined;
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const source = context?.source;
    return source !== undefined && INTEGER.test(source) ? canonicalInteger(BigInt(source)) : value;
  });
}

export function canonicalInteger(value: bigint): JsonInteger {
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : value;
}

/**
 * Writes metadata. Null is refused because several readers fail on a member that is present with null;
 * undefined members are left out.
 */
export function stringifyJson(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return `[${items.map(stringifyJson).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => `${JSON.stringify(key)}:${stringifyJson(member)}`);
    return `{${members.join(',')}}`;
  }
  throw new TypeError(`table metadata cannot hold ${String(value)}`);
}
