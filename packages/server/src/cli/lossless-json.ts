/** Like `JSON.parse`, but integers that a double cannot hold become bigints. */
export function parseLosslessJson(text: string): unknown {
  const revive = (
    _key: string,
    value: unknown,
    context?: { readonly source?: string },
  ): unknown => {
    const source = context?.source;
    const isInexact = typeof value === 'number' && !Number.isSafeInteger(value);
    return isInexact && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
  };
  return JSON.parse(text, revive);
}
