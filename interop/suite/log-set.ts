import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lines that are sent as one service. */
export interface LogSet {
  readonly name: string;
  readonly lines: readonly string[];
}

const wideCharacters = [
  'Grüße aus Köln',
  '日本語のログ',
  'Ελληνικά',
  'العربية',
  '🚀🧑‍🚀👩🏽‍💻',
  'é vs é',
];
const longLengths = [1_000, 8_191, 8_192, 65_536, 300_000];

/** Lines that storage and protocols get wrong, made here so that the suite checks them without any data. */
export function madeSets(): readonly LogSet[] {
  return [
    { name: 'made-plain', lines: plainLines(300) },
    { name: 'made-wide', lines: wideLines(300) },
    { name: 'made-odd', lines: [...oddLines(), ...controlLines(), ...longLines()] },
  ];
}

function plainLines(count: number): string[] {
  const levels = ['INFO', 'WARN', 'ERROR', 'DEBUG'];
  return Array.from({ length: count }, (_, at) => {
    const level = levels[at % levels.length];
    return `2024-05-0${1 + (at % 9)} 12:00:${10 + (at % 50)} ${level} [worker-${at % 7}] request id=${at * 7919} took ${at % 997} ms`;
  });
}

function wideLines(count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const text = wideCharacters[at % wideCharacters.length] ?? '';
    return `${text} #${at} ${text.repeat(at % 11)}`;
  });
}

function oddLines(): string[] {
  const line = String.raw`C:\logs\app.log "quoted" \n \u0041 \\ %s ${'$'}{x} <a href='x'>&amp;</a>`;
  return [
    '',
    ' ',
    '   leading and trailing   ',
    '\ttab\tseparated\t',
    'null',
    '0',
    '-0.0',
    '1e400',
    'true',
    '{"level":"error","message":"JSON in a line","n":[1,2,{"a":null}]}',
    '{"broken":',
    '[]',
    '"',
    "'; DROP TABLE raw_events; --",
    line,
    'line separator \u2028 paragraph separator \u2029 next line \u0085 byte order mark \ufeff',
    'non-characters \ufffe \uffff and the last one \u{10ffff}',
    'a combining a\u0301, a right-to-left mark \u200f, a soft hyphen \u00ad',
  ];
}

function controlLines(): string[] {
  const codes = [...Array(32).keys(), 0x7f].filter((code) => code !== 0x0a);
  return codes.map(
    (code) => `control ${code} [${String.fromCharCode(code)}] and \u001b[31mred\u001b[0m`,
  );
}

function longLines(): string[] {
  return longLengths.map((length) => `${length} `.padEnd(length, 'long line é ').slice(0, length));
}

/** The sets of a folder with one folder for each, `HDFS/HDFS_2k.log`. Lines end at LF or CR LF. */
export function readSets(directory: string): readonly LogSet[] {
  return readdirSync(directory)
    .toSorted()
    .map((name) => ({ name, path: join(directory, name, `${name}_2k.log`) }))
    .filter(({ path }) => existsSync(path))
    .map(({ name, path }) => ({ name, lines: readFileSync(path, 'utf8').split(/\r?\n/) }))
    .map(({ name, lines }) => ({ name, lines: lines.at(-1) === '' ? lines.slice(0, -1) : lines }));
}
