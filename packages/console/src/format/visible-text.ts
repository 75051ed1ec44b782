/** A stretch of text to show as it is, or one character that would not show or would mislead, by name. */
export interface TextSegment {
  readonly text: string;
  readonly isHidden: boolean;
}

/**
 * Controls other than tab and newline, format characters (bidirectional, zero-width, tags), line and paragraph
 * separators, lone surrogates: whatever could hide or reorder what a log line says.
 */
const hidden = /[^\P{Cc}\t\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Splits hostile text into what may be shown and what must be named. Tabs and newlines are left to the caller's layout. */
export function visibleSegments(text: string): TextSegment[] {
  const segments: TextSegment[] = [];
  let shown = 0;
  for (const match of text.matchAll(hidden)) {
    if (match.index > shown) {
      segments.push({ text: text.slice(shown, match.index), isHidden: false });
    }
    segments.push({ text: nameOf(match[0]), isHidden: true });
    shown = match.index + match[0].length;
  }
  if (shown < text.length) segments.push({ text: text.slice(shown), isHidden: false });
  return segments;
}

/** By code, 0 to 1F (ISO 6429). */
const controlNames =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return (
    controlNames[code] ??
    (code === 0x7f ? 'DEL' : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`)
  );
}

/** One line for a list: line breaks become a mark, and no more is kept than a line can show. */
export function firstLine(text: string, maxCharacters = 600): string {
  return text.slice(0, maxCharacters).replace(/\r?\n/g, ' ⏎ ').replace(/\t/g, ' ');
}
