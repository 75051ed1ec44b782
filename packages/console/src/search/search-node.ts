export type Comparison = '>' | '>=' | '<' | '<=';

/** How a value is matched. */
export type Match =
  | { readonly kind: 'is'; readonly value: string }
  /** Pieces between wildcards, in order. */
  | { readonly kind: 'like'; readonly pieces: readonly string[] }
  | { readonly kind: 'exists' }
  | { readonly kind: 'compare'; readonly operator: Comparison; readonly value: string };

export type SearchNode =
  | { readonly kind: 'all' | 'any'; readonly nodes: readonly SearchNode[] }
  | { readonly kind: 'not'; readonly node: SearchNode }
  /** Text anywhere in the body; `field` undefined. */
  | {
      readonly kind: 'match';
      readonly field: string | undefined;
      readonly match: Match;
      /** Where in the search text it stands, for messages. */
      readonly at: number;
    };

/** A search that cannot be understood, and the place at which it stops making sense. */
export class SearchSyntaxError extends Error {
  override readonly name = 'SearchSyntaxError';
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}
