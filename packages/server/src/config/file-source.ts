import {
  isMap,
  isScalar,
  LineCounter,
  parseDocument,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { unknownMessage } from './nearest.ts';
import { isOptionPath, optionPaths } from './options.ts';
import type { Assignment, ConfigProblem, Origin, SourceReading } from './problem.ts';

/**
 * Sentences of our own for the parser's errors: its messages may quote the text around the place,
 * and that may be a secret.
 */
const SYNTAX_MESSAGES: Readonly<Record<string, string>> = {
  BAD_INDENT: 'wrong indentation',
  BAD_SCALAR_START: 'a value starts with a character that needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a nested section must start on its own line',
  DUPLICATE_KEY: 'a key appears twice in one section',
  MISSING_CHAR: 'a quote, bracket, comma or colon is missing',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line and be followed by a colon',
  MULTIPLE_DOCS: 'the file must hold one document',
  TAB_AS_INDENT: 'indent with spaces, not with tabs',
};

/** Reads the text of a YAML file: nested sections, or dotted keys, or both. */
export function readFileSource(path: string, text: string): SourceReading {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const originAt = (offset: number | undefined): Origin => ({
    kind: 'file',
    path,
    line: offset === undefined ? undefined : lineCounter.linePos(offset).line,
  });
  const syntaxProblems = document.errors.map((error) => ({
    message: `not valid YAML: ${SYNTAX_MESSAGES[error.code] ?? 'unexpected text'}`,
    origin: originAt(error.pos[0]),
  }));
  if (syntaxProblems.length > 0) return { assignments: [], problems: syntaxProblems };

  const assignments: Assignment[] = [];
  const problems: ConfigProblem[] = [];
  const root = document.contents;
  if (isMap(root)) {
    const walk: Walk = { originAt, assignments, problems, toValue: (node) => node.toJS(document) };
    visitSection(walk, '', root);
  } else if (root !== null && !(isScalar(root) && root.value === null)) {
    problems.push({ message: 'the file must hold keys and values', origin: originAt(0) });
  }
  return { assignments, problems };
}

interface Walk {
  readonly assignments: Assignment[];
  readonly problems: ConfigProblem[];
  originAt(offset: number | undefined): Origin;
  toValue(node: Node): unknown;
}

function visitSection(walk: Walk, prefix: string, section: YAMLMap): void {
  for (const pair of section.items as readonly Pair<Node, Node | null>[]) {
    const name = isScalar(pair.key) ? String(pair.key.value) : '?';
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const origin = walk.originAt(pair.key.range?.[0]);
    if (isOptionPath(path)) {
      walk.assignments.push({
        path,
        value: pair.value === null ? null : walk.toValue(pair.value),
        origin,
      });
    } else if (!optionPaths.some((known) => known.startsWith(`${path}.`))) {
      const message = unknownMessage('key', path, optionPaths);
      walk.problems.push({ key: path, message, origin });
    } else if (isMap(pair.value)) {
      visitSection(walk, path, pair.value);
    } else if (pair.value !== null && !(isScalar(pair.value) && pair.value.value === null)) {
      walk.problems.push({ key: path, message: 'expected a section of further keys', origin });
    }
  }
}
