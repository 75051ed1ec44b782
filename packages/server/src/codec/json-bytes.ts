import {
  jsonArray,
  jsonFalse,
  jsonNull,
  jsonNumber,
  jsonObject,
  jsonString,
  jsonTrue,
} from './json-kind.ts';

export const quote = 0x22;
export const backslash = 0x5c;

/** 1 for the bytes that end a run of plain bytes inside a string: quote, backslash, control characters. */
export const stopsRun = new Uint8Array(256);
stopsRun.fill(1, 0, 0x20);
stopsRun[quote] = 1;
stopsRun[backslash] = 1;

/** What the byte after a backslash stands for; 0 when it is not a simple escape. */
export const simpleEscape = new Uint8Array(256);
for (const [from, to] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
  if (from !== undefined && to !== undefined) {
    simpleEscape[from.charCodeAt(0)] = to.charCodeAt(0);
  }
}

/** Kind of a value by its first byte; `jsonEnd` for bytes that begin none. */
export const kindOfByte = new Uint8Array(256);
for (const [character, kind] of [
  ['{', jsonObject],
  ['[', jsonArray],
  ['"', jsonString],
  ['t', jsonTrue],
  ['f', jsonFalse],
  ['n', jsonNull],
  ...Array.from('-0123456789', (digit) => [digit, jsonNumber] as const),
] as const) {
  kindOfByte[character.charCodeAt(0)] = kind;
}
