import { createHash, timingSafeEqual } from 'node:crypto';

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The tokens of one listener, compared in constant time. No tokens: everybody may send. */
export class TokenSet {
  readonly #digests: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(digestOf);
  }

  get isEmpty(): boolean {
    return this.#digests.length === 0;
  }

  hasAny(secrets: readonly string[]): boolean {
    let isFound = false;
    for (const secret of secrets) {
      const digest = digestOf(secret);
      for (const known of this.#digests) {
        if (timingSafeEqual(digest, known)) isFound = true;
      }
    }
    return isFound;
  }
}

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
