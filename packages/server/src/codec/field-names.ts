/**
 * Finds a field's number by its name without making a string. Names are looked up by length, first and last
 * byte, then compared.
 */
export class FieldNames {
  readonly #firstInSlot = new Uint8Array(256);
  readonly #nextInSlot: number[] = [0];
  readonly #names: Uint8Array[] = [new Uint8Array(0)];
  readonly #numbers: number[] = [0];

  /** Numbers must be positive; several names may share one. */
  constructor(numbers: Readonly<Record<string, number>>) {
    for (const [text, number] of Object.entries(numbers)) {
      const name = new TextEncoder().encode(text);
      const slot = slotOf(name, 0, name.length);
      this.#nextInSlot.push(this.#firstInSlot[slot]!);
      this.#names.push(name);
      this.#numbers.push(number);
      this.#firstInSlot[slot] = this.#names.length - 1;
    }
  }

  /** 0 when the name is unknown. */
  find(bytes: Uint8Array, start: number, end: number): number {
    if (start === end) return 0;
    let index = this.#firstInSlot[slotOf(bytes, start, end)]!;
    while (index !== 0) {
      if (isEqual(this.#names[index]!, bytes, start, end)) return this.#numbers[index]!;
      index = this.#nextInSlot[index]!;
    }
    return 0;
  }
}

function slotOf(bytes: Uint8Array, start: number, end: number): number {
  return ((end - start) * 29 + bytes[start]! * 5 + bytes[end - 1]!) & 255;
}

function isEqual(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let at = 0; at < name.length; at++) if (name[at] !== bytes[start + at]) return false;
  return true;
}
