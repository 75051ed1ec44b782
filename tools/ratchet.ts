/** Counts the ways around the type checker, the linter and the tests. All stand at zero and stay there. */
import { type Comment, parseSync, Visitor, type VisitorObject } from 'oxc-parser';
import { type Finding, lineAt, readSources, report } from './source-files.ts';

type Note = (offset: number, message: string) => void;

/** Where `bytes[i]!` is allowed: the byte loops of decoders and encoders, whose purpose is speed. */
const byteLoops = /^packages\/server\/src\/(codec|columns|ingest|wal|pipeline\/dedup)\//;
const directive = /(?:oxlint|eslint)-(?:disable|enable)|@ts-(?:expect-error|ignore|nocheck)/;
const testFunctions = new Set(['it', 'test', 'describe', 'suite', 'bench']);
const moduleMocks = new Set(['mock', 'doMock', 'hoisted']);

function typeVisitor(path: string, note: Note): VisitorObject {
  return {
    TSAnyKeyword(node) {
      note(node.start, 'any: say the type, or unknown and narrow it');
    },
    TSAsExpression(node) {
      let inner = node.expression;
      while (inner.type === 'ParenthesizedExpression') inner = inner.expression;
      if (inner.type !== 'TSAsExpression') return;
      if (inner.typeAnnotation.type !== 'TSUnknownKeyword') return;
      note(node.start, 'as unknown as: parse or narrow instead');
    },
    TSNonNullExpression(node) {
      const isIndexRead = node.expression.type === 'MemberExpression' && node.expression.computed;
      if (isIndexRead && byteLoops.test(path)) return;
      note(node.start, 'non-null "!": check, or assert() what must hold');
    },
  };
}

/** The identifier a chain such as `it.concurrent.only` starts with. */
function chainRoot(node: { readonly type: string }): string | undefined {
  if (node.type === 'MemberExpression' && 'object' in node) {
    return chainRoot(node.object as { readonly type: string });
  }
  return node.type === 'Identifier' && 'name' in node ? String(node.name) : undefined;
}

function testVisitor(note: Note): VisitorObject {
  return {
    MemberExpression(node) {
      if (node.property.type !== 'Identifier' || node.computed) return;
      const { name } = node.property;
      const owner = chainRoot(node.object) ?? '';
      if (testFunctions.has(owner) && (name === 'skip' || name === 'only')) {
        note(node.start, `.${name}: a test runs or does not exist`);
      }
      if (owner === 'vi' && moduleMocks.has(name)) {
        note(node.start, `vi.${name}: tests run the real parts; pass a fake in`);
      }
    },
  };
}

function checkComments(comments: readonly Comment[], note: Note): void {
  for (const comment of comments) {
    const [found] = directive.exec(comment.value) ?? [];
    if (found !== undefined) note(comment.start, `${found}: mend the cause`);
  }
}

/** Every escape hatch in `sources`, by path and line. */
export function findEscapes(sources: ReadonlyMap<string, string>): Finding[] {
  const findings: Finding[] = [];
  for (const [path, text] of sources) {
    const note: Note = (offset, message) => {
      findings.push({ path, line: lineAt(text, offset), message });
    };
    const { program, comments } = parseSync(path, text);
    new Visitor({ ...typeVisitor(path, note), ...testVisitor(note) }).visit(program);
    checkComments(comments, note);
  }
  return findings;
}

function main(): void {
  const sources = readSources('.');
  report('ratchet', findEscapes(sources), { count: sources.size, minimum: 20, what: 'files' });
}

if (import.meta.main) main();
