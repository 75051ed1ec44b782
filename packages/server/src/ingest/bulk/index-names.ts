const decoder = new TextDecoder();
const encoder = new TextEncoder();

function isEqual(known: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (known.length !== end - start) return false;
  for (let at = 0; at < known.length; at++) if (known[at] !== bytes[start + at]) return false;
  return true;
}

/** The index names of one request, numbered. Most requests repeat one name, which is found without a string. */
export class IndexNames {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #bytes: Uint8Array[] = [];
  readonly #prefixes: Uint8Array[] = [];
  #last = -1;

  /** Number of the name. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const last = this.#bytes[this.#last];
    if (last !== undefined && isEqual(last, bytes, start, end)) return this.#last;
    const text = decoder.decode(bytes.subarray(start, end));
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.texts.push(text) - 1;
      this.#numbers.set(text, number);
      this.#bytes.push(bytes.slice(start, end));
      const escaped = text.replaceAll(/[%/]/g, encodeURIComponent);
      this.#prefixes.push(encoder.encode(`bulk:${escaped}/`));
    }
    this.#last = number;
    return number;
  }

  bytes(number: number): Uint8Array {
    return this.#bytes[number]!;
  }

  /** What makes an id of this index unique among all; a slash within the name is escaped. */
  idPrefix(number: number): Uint8Array {
    return this.#prefixes[number]!;
  }
}
