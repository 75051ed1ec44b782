import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../base/secret.ts';

/**
 * Tokens of which a request must carry one. A look-up compares with every token in constant time,
 * whatever the length of what was sent and whichever token matches.
 */
export class TokenSet {
  readonly #digests: readonly Buffer[];

  constructor(tokens: readonly Secret[]) {
    this.#digests = tokens.map((token) => digest(token.reveal()));
  }

  /** Index of the matching token, or -1. */
  indexOf(sent: string): number {
    const sentDigest = digest(sent);
    let match = -1;
    for (const [index, expected] of this.#digests.entries()) {
      if (timingSafeEqual(sentDigest, expected)) match = index;
    }
    return match;
  }

  has(sent: string): boolean {
    return this.indexOf(sent) >= 0;
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
