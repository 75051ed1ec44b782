import { SearchSyntaxError, type Comparison, type Match, type SearchNode } from './search-node.ts';

/**
 * Parses a search: words and "phrases" that must all be in the body, `field:value`, `field:"a value"`, `field:(a or b)`,
 * `field:>10`, `field:*`, `*` as a wildcard, `-` or `not`, `and`, `or`, parentheses. Undefined for an empty search.
 * Throws `SearchSyntaxError` with the place.
 */
export function parseSearch(text: string): SearchNode | undefined {
  const parser = new Parser(text);
  return parser.parse();
}

const fieldName = /[A-Za-z_@][\w.@/-]*(?=:(?!\/\/))/y;
const bareWord = /[^\s()"]+/y;
const keyword = /(and|or|not)(?=[\s()"]|$)/iy;
const comparison = /(>=|<=|>|<)/y;

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): SearchNode | undefined {
    this.#skipSpace();
    if (this.#isAtEnd) return undefined;
    const node = this.#any(undefined);
    if (!this.#isAtEnd) throw new SearchSyntaxError('this ) closes nothing', this.#at);
    return node;
  }

  #any(field: string | undefined): SearchNode {
    const nodes = [this.#all(field)];
    while (this.#peekKeyword() === 'or') {
      this.#take(keyword);
      nodes.push(this.#all(field));
    }
    return joined('any', nodes);
  }

  #all(field: string | undefined): SearchNode {
    const nodes = [this.#not(field)];
    for (;;) {
      this.#skipSpace();
      const word = this.#peekKeyword();
      if (this.#isAtEnd || this.#peek() === ')' || word === 'or') return joined('all', nodes);
      if (word === 'and') this.#take(keyword);
      nodes.push(this.#not(field));
    }
  }

  #not(field: string | undefined): SearchNode {
    this.#skipSpace();
    if (this.#peekKeyword() === 'not') {
      this.#take(keyword);
      return { kind: 'not', node: this.#not(field) };
    }
    if (this.#peek() === '-' && !/[\s)]|^$/.test(this.#text.charAt(this.#at + 1))) {
      this.#at++;
      return { kind: 'not', node: this.#not(field) };
    }
    return this.#atom(field);
  }

  #atom(field: string | undefined): SearchNode {
    const at = this.#at;
    if (this.#isAtEnd) throw new SearchSyntaxError('something to search for is missing here', at);
    if (this.#peekKeyword() !== undefined) {
      throw new SearchSyntaxError('something to search for is missing before this word', at);
    }
    if (this.#peek() === '(') return this.#group(field);
    if (this.#peek() === ')') {
      throw new SearchSyntaxError('something to search for is missing before this )', at);
    }
    if (field === undefined) {
      const name = this.#fieldName();
      if (name !== undefined) return this.#fieldValue(name, at);
    }
    return { kind: 'match', field, match: this.#value(field !== undefined), at };
  }

  #fieldName(): string | undefined {
    const start = this.#at;
    if (this.#peek() === '"') {
      const quoted = this.#phrase();
      if (this.#peek() === ':') return this.#afterColon(quoted);
      this.#at = start;
      return undefined;
    }
    const name = this.#take(fieldName);
    return name === undefined ? undefined : this.#afterColon(name);
  }

  #afterColon(name: string): string {
    this.#at++;
    return name;
  }

  #fieldValue(field: string, at: number): SearchNode {
    if (this.#peek() === '(') return this.#group(field);
    if (this.#isAtEnd || /[\s)]/.test(this.#peek())) {
      throw new SearchSyntaxError(`a value is missing after ${field}:`, this.#at);
    }
    return { kind: 'match', field, match: this.#value(true), at };
  }

  #group(field: string | undefined): SearchNode {
    const open = this.#at++;
    const node = this.#any(field);
    if (this.#peek() !== ')') throw new SearchSyntaxError('this ( is not closed', open);
    this.#at++;
    return node;
  }

  #value(isOfField: boolean): Match {
    if (this.#peek() === '"') return { kind: 'is', value: this.#phrase() };
    const operator = isOfField ? this.#comparison() : undefined;
    const word = this.#peek() === '"' ? this.#phrase() : (this.#take(bareWord) ?? '');
    if (operator !== undefined) {
      if (word === '') throw new SearchSyntaxError('a number is missing here', this.#at);
      return { kind: 'compare', operator, value: word };
    }
    if (!word.includes('*')) return { kind: 'is', value: word };
    return /^\*+$/.test(word) ? { kind: 'exists' } : { kind: 'like', pieces: word.split(/\*+/) };
  }

  #comparison(): Comparison | undefined {
    const operator = this.#take(comparison);
    return operator === '>' || operator === '>=' || operator === '<' || operator === '<='
      ? operator
      : undefined;
  }

  /** Inside quotes only `\"` and `\\` are special. */
  #phrase(): string {
    const open = this.#at++;
    let value = '';
    for (;;) {
      if (this.#isAtEnd) throw new SearchSyntaxError('this " is not closed', open);
      const character = this.#text.charAt(this.#at++);
      if (character === '"') return value;
      const next = this.#text.charAt(this.#at);
      if (character === '\\' && (next === '"' || next === '\\')) {
        value += next;
        this.#at++;
      } else {
        value += character;
      }
    }
  }

  get #isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #peekKeyword(): string | undefined {
    keyword.lastIndex = this.#at;
    return keyword.exec(this.#text)?.[1]?.toLowerCase();
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0];
    this.#at += taken?.length ?? 0;
    return taken;
  }

  #skipSpace(): void {
    while (!this.#isAtEnd && /\s/.test(this.#peek())) this.#at++;
  }
}

function joined(kind: 'all' | 'any', nodes: readonly SearchNode[]): SearchNode {
  const [only] = nodes;
  return nodes.length === 1 && only !== undefined ? only : { kind, nodes };
}
