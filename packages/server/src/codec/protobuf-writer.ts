import { wireBytes, wireVarint } from './protobuf-reader.ts';

/** A protobuf varint: an integer from 0 to 2^53 - 1. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return [...bytes, rest];
}

/** A number field; empty for 0, which is what an absent field means. */
export function varintField(field: number, value: number): Uint8Array {
  return value === 0
    ? new Uint8Array(0)
    : Uint8Array.from([...varint(field * 8 + wireVarint), ...varint(value)]);
}

/** A text, bytes or message field: the parts follow each other. */
export function bytesField(field: number, ...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const value = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Uint8Array.from([...varint(field * 8 + wireBytes), ...varint(value.length)]);
  return Buffer.concat([head, value]);
}
