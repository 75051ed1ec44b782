/** What the API's JSON can hold once integers beyond 2^53 are kept exact. */
export type JsonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Parses JSON with 64-bit integers exact: an integer that a double cannot hold becomes a bigint. */
export function parseLosslessJson(text: string): JsonValue {
  const parsed: JsonValue = JSON.parse(
    text,
    (_key: string, value: JsonValue, context?: { readonly source?: string }): JsonValue => {
      if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
      const source = context?.source;
      if (source === undefined) {
        throw new SyntaxError('this browser cannot read 64-bit integers exactly; use a newer one');
      }
      return /^-?\d+$/.test(source) ? BigInt(source) : value;
    },
  );
  return parsed;
}

/** JSON text again, bigints as integers. */
export function writeLosslessJson(value: JsonValue, indent = ''): string {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  const isArray = Array.isArray(value);
  const parts = isArray
    ? value.map((item: JsonValue) => inner + writeLosslessJson(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${inner}${JSON.stringify(key)}: ${writeLosslessJson(item, inner)}`,
      );
  const [open, close] = isArray ? ['[', ']'] : ['{', '}'];
  return parts.length === 0
    ? `${open}${close}`
    : `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}
