/** A fenced `sh` block of a page that is marked as tested: `<!-- test: start | run | run-for <n>s -->` before it. */
export interface TestedBlock {
  readonly mode:
    | { readonly kind: 'start' | 'run' }
    /** Goes on until it is stopped; it must last for this long. */
    | { readonly kind: 'run-for'; readonly seconds: number };
  readonly text: string;
  /** The `text` block that follows at once: what is printed. */
  readonly output: string | undefined;
  /** 1-based, of the mark. */
  readonly line: number;
}

const mark = /^<!--\s*test:\s*(.*?)\s*-->$/gm;
const block = /\s*\n```sh[^\n]*\n([\s\S]*?)^```$(?:\s*\n```text\n([\s\S]*?)^```$)?/my;
const modePattern = /^(?:(start|run)|run-for (\d+)s)$/;

/** Every tested block in the order of the page. A mark that marks nothing is an error. */
export function readTestedBlocks(page: string): readonly TestedBlock[] {
  return [...page.matchAll(mark)].map((match) => {
    const line = page.slice(0, match.index).split('\n').length;
    const mode = modePattern.exec(match[1] ?? '');
    if (mode === null) throw new Error(`line ${line}: unknown test mode "${match[1]}"`);
    block.lastIndex = match.index + match[0].length;
    const found = block.exec(page);
    if (found === null) throw new Error(`line ${line}: no sh block follows the mark`);
    const [, kind, seconds] = mode;
    return {
      mode:
        kind === undefined
          ? { kind: 'run-for', seconds: Number(seconds) }
          : { kind: kind === 'start' ? 'start' : 'run' },
      text: found[1] ?? '',
      output: found[2],
      line,
    };
  });
}

/** Whether a program printed what its page shows; trailing blanks, durations and sizes may differ. */
export function isShownOutput(printed: string, shown: string): boolean {
  return withoutFigures(printed) === withoutFigures(shown);
}

function withoutFigures(text: string): string {
  return text
    .trimEnd()
    .replace(/[ \t]+$/gm, '')
    .replace(/\b\d+(\.\d+)? (ms|s|B|KiB|MiB|GiB)\b/g, '<figure>');
}
