/** `Authorization` as scheme (lower-case) and the rest. */
export function parseAuthorization(header: string | undefined): { scheme: string; value: string } {
  const match = /^([^ ]+) +(.*)$/.exec((header ?? '').trim());
  return { scheme: (match?.[1] ?? '').toLowerCase(), value: (match?.[2] ?? '').trim() };
}

/** The token of `Authorization: Bearer <token>` or `Basic base64(<any name>:<token>)`. */
export function standardSecrets(header: string | undefined): readonly string[] {
  const { scheme, value } = parseAuthorization(header);
  if (scheme === 'bearer') return [value];
  if (scheme !== 'basic') return [];
  const pair = Buffer.from(value, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? [] : [pair.slice(colon + 1)];
}
