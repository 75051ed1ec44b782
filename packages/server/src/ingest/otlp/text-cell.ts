const empty = new Uint8Array(0);

/** A short text of its own bytes. Setting the same text again, the usual case, copies nothing. */
export class TextCell {
  value: Uint8Array = empty;
  /** False for an empty text too: OTLP does not tell it from an absent one. */
  isSet = false;

  clear(): void {
    this.isSet = false;
  }

  set(bytes: Uint8Array, start: number, end: number): void {
    this.isSet = end > start;
    const { value } = this;
    let at = 0;
    if (value.length === end - start) {
      while (at < value.length && value[at] === bytes[start + at]) at++;
      if (at === value.length) return;
    }
    this.value = new Uint8Array(bytes.subarray(start, end));
  }
}
