import { FieldNames } from '../../codec/index.ts';
import { severityOfName } from '../../columns/index.ts';
import { findLevelField, severityOfField } from './level-field.ts';
import type { SeverityMemo } from './severity-memo.ts';

/** How far into a line its fields are looked at; a level stands near the front. */
const maxFieldBytes = 1024;
/** How far into a line a mere word may tell the level. */
const maxWordBytes = 160;

const quote = 0x22;
const backslash = 0x5c;
const equals = 0x3d;
const colon = 0x3a;
const space = 0x20;

const levelWords =
  'trace trc verbose debug dbg info inf notice warn warning wrn error err severe critical crit alert fatal emerg emergency panic'.split(
    ' ',
  );
const numbered = (spell: (word: string) => string): FieldNames =>
  new FieldNames(Object.fromEntries(levelWords.map((word) => [spell(word), severityOfName(word)])));

/** A level in capitals counts anywhere near the front; others only between brackets or before a colon. */
const shoutedWords = numbered((word) => word.toUpperCase());
const lowerWords = numbered((word) => word);
const capitalWords = numbered((word) => word.charAt(0).toUpperCase() + word.slice(1));

/** 1 for the bytes that words and the names of fields are made of. */
const isWord = new Uint8Array(256);
for (const byte of new TextEncoder().encode('_.-@')) isWord[byte] = 1;
isWord.fill(1, 0x30, 0x3a);
isWord.fill(1, 0x41, 0x5b);
isWord.fill(1, 0x61, 0x7b);

const bytesIn = (characters: string): Uint8Array => {
  const set = new Uint8Array(256);
  for (const byte of new TextEncoder().encode(characters)) set[byte] = 1;
  return set;
};

/** What may stand before and behind a level in brackets, whatever its case. */
const opens = bytesIn('[(<|');
const closes = bytesIn('])>|');
/** What may stand around a level in capitals besides: it is a word of its own, not a part of a path. */
const parts = bytesIn(' \t:,;');

/**
 * Tells the severity of a line of text by its own level: a member of a JSON object, a field of `key=value` pairs, a
 * word such as `ERROR`, `[warn]` or `error:` near the front, or the head of a klog line (`E0102 …`). A guess that
 * reads a bounded part of the line once and creates nothing.
 */
export class LineSeverity {
  readonly #memo: SeverityMemo;

  constructor(memo: SeverityMemo) {
    this.#memo = memo;
  }

  /** SeverityNumber 1..24, or 0 when the line does not tell. */
  severityOf(bytes: Uint8Array, start: number, end: number): number {
    const stop = Math.min(end, start + maxFieldBytes);
    let first = start;
    while (first < stop && bytes[first]! <= space) first++;
    if (first === stop) return 0;
    return bytes[first] === 0x7b
      ? this.#ofJson(bytes, first, stop)
      : klogSeverity(bytes, first, stop) || this.#ofText(bytes, first, stop);
  }

  /** Only the strings and the depth of the object are followed; whether it is JSON is not looked at. */
  #ofJson(bytes: Uint8Array, start: number, stop: number): number {
    let depth = 0;
    for (let at = start; at < stop;) {
      const byte = bytes[at++]!;
      if (byte === 0x7b || byte === 0x5b) {
        depth++;
      } else if (byte === 0x7d || byte === 0x5d) {
        depth--;
      } else if (byte === quote) {
        const nameStart = at;
        at = stringEnd(bytes, at, stop);
        if (depth === 1) {
          const value = behindSpace(bytes, at + 1, stop);
          if (value < stop && bytes[value] === colon) {
            const field = findLevelField(bytes, nameStart, at);
            const severity = field === 0 ? 0 : this.#ofValue(field, bytes, value + 1, stop);
            if (severity !== 0) return severity;
          }
        }
        at++;
      }
    }
    return 0;
  }

  #ofText(bytes: Uint8Array, start: number, stop: number): number {
    const wordStop = start + maxWordBytes;
    let before = space;
    for (let at = start; at < stop;) {
      if (isWord[bytes[at]!] === 0) {
        before = bytes[at++]!;
        continue;
      }
      const wordStart = at;
      while (at < stop && isWord[bytes[at]!] === 1) at++;
      const after = at < stop ? bytes[at]! : space;
      let severity = 0;
      if (after === equals) {
        const field = findLevelField(bytes, wordStart, at);
        if (field !== 0) severity = this.#ofValue(field, bytes, at + 1, stop);
      } else if (at <= wordStop) {
        severity = severityOfWord(bytes, wordStart, at, { before, after });
      }
      if (severity !== 0) return severity;
    }
    return 0;
  }

  /** Of a value that is a quoted string, or ends where no word goes on. */
  #ofValue(field: number, bytes: Uint8Array, from: number, stop: number): number {
    let start = behindSpace(bytes, from, stop);
    let end = start;
    if (bytes[start] === quote) {
      end = stringEnd(bytes, ++start, stop);
      if (end === stop) return 0;
    } else {
      while (end < stop && isWord[bytes[end]!] === 1) end++;
    }
    return end > start ? severityOfField(field, this.#memo, { bytes, start, end }) : 0;
  }
}

function severityOfWord(
  bytes: Uint8Array,
  start: number,
  end: number,
  { before, after }: { readonly before: number; readonly after: number },
): number {
  const isBehind = parts[before] === 1 || opens[before] === 1;
  const isAhead = parts[after] === 1 || closes[after] === 1;
  const severity = isBehind && isAhead ? shoutedWords.find(bytes, start, end) : 0;
  const isMarked = (after === colon && isBehind) || (opens[before] === 1 && closes[after] === 1);
  if (severity !== 0 || !isMarked) return severity;
  return lowerWords.find(bytes, start, end) || capitalWords.find(bytes, start, end);
}

function behindSpace(bytes: Uint8Array, start: number, stop: number): number {
  let at = start;
  while (at < stop && bytes[at]! <= space) at++;
  return at;
}

/** Where the quote that closes the string is; `stop` when there is none. */
function stringEnd(bytes: Uint8Array, start: number, stop: number): number {
  let at = start;
  while (at < stop && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return Math.min(at, stop);
}

/** `I0102 15:04:05.000000`: a letter and the day. */
function klogSeverity(bytes: Uint8Array, start: number, stop: number): number {
  if (start + 6 > stop || bytes[start + 5] !== space) return 0;
  for (let at = start + 1; at < start + 5; at++) {
    if (bytes[at]! < 0x30 || bytes[at]! > 0x39) return 0;
  }
  switch (bytes[start]) {
    case 0x49:
      return 9;
    case 0x57:
      return 13;
    case 0x45:
      return 17;
    case 0x46:
      return 21;
    default:
      return 0;
  }
}
