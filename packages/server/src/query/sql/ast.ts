/**
 * The syntax tree as `json_serialize_sql` prints it. It is treated as foreign data: every access goes through
 * these accessors, so a shape nobody expected is noticed instead of skipped.
 */
export type AstValue = string | number | boolean | null | AstObject | readonly AstValue[];
export interface AstObject {
  readonly [key: string]: AstValue;
}

export const isAstObject = (value: AstValue | undefined): value is AstObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isAstArray = (value: AstValue | undefined): value is readonly AstValue[] =>
  Array.isArray(value);

export const asText = (value: AstValue | undefined): string =>
  typeof value === 'string' ? value : '';

/** The engine prints infinite literals bare, which is not JSON; as strings they are harmless here. */
const bareNonFinite = /"value":(-?(?:Infinity|NaN|inf|nan))/g;

/** Reads a printed tree for checking. Integers beyond 2^53 lose digits: use `parseExact` to print it back. */
export function parseAst(text: string): AstValue {
  return JSON.parse(text.replace(bareNonFinite, '"value":"$1"')) as AstValue;
}

const stringOrLongInteger = /"(?:[^"\\]|\\.)*"|-?\d{15,}(?![\d.eE])/g;
const exactTag = '\u0000integer:';
const taggedInteger = /"\\u0000integer:(-?\d+)"/g;

/** Like `parseAst`, with long integers kept as tagged strings that `printExact` turns back. */
export function parseExact(text: string): AstValue {
  const tagged = text.replace(stringOrLongInteger, (token) =>
    token.startsWith('"') ? token : JSON.stringify(`${exactTag}${token}`),
  );
  return JSON.parse(tagged) as AstValue;
}

export function printExact(ast: AstValue): string {
  return JSON.stringify(ast).replace(taggedInteger, '$1');
}

/** The printed tree without source positions, so that equal statements have equal text. */
export function withoutPositions(text: string): string {
  return text.replace(/"query_location":\d+/g, '"query_location":0');
}
