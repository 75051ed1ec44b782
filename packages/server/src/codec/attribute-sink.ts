/** Takes the leaves of a structured value as spans that last for the call only; the event builder is one. */
export interface AttributeSink {
  attribute(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void;
  attributeNull(key: Uint8Array, keyStart: number, keyEnd: number): void;
}
