/** Every relative link of the documentation resolves, and every `npm run` in it names a script that exists. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type Finding, lineAt, listFiles, report } from './source-files.ts';

export interface DocsContext {
  /** Text of a page, undefined when there is no such page; folders and other files have empty text. */
  read(path: string): string | undefined;
  readonly scripts: ReadonlySet<string>;
}

const link = /\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm;
const script = /\bnpm (?:run(?:-script)? |(?=start\b|test\b))([a-z][\w:.-]*)/g;

/** The text with code blanked out, positions kept: a link in code is not a link. */
function withoutCode(text: string): string {
  return text.replace(/^(```|~~~)[\s\S]*?^\1|`[^`\n]*`/gm, (code) => code.replace(/[^\n]/g, ' '));
}

/** The anchor a page host makes of a heading. */
export function anchorOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function anchors(text: string): Set<string> {
  const headings = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm);
  const explicit = text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g);
  return new Set([
    ...[...headings].map(([, heading = '']) => anchorOf(heading)),
    ...[...explicit].map(([, id = '']) => id),
  ]);
}

function linkFault(page: string, target: string, context: DocsContext): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined;
  const [file = '', fragment] = target.split('#');
  const path = file === '' ? page : normalize(join(dirname(page), decodeURIComponent(file)));
  const text = context.read(path);
  if (text === undefined) return `link to ${target}: there is no ${path}`;
  if (fragment === undefined || !path.endsWith('.md')) return undefined;
  return anchors(text).has(fragment) ? undefined : `link to ${target}: no such heading`;
}

/** Every fault of one page. */
export function checkPage(page: string, text: string, context: DocsContext): Finding[] {
  const findings: Finding[] = [];
  for (const match of withoutCode(text).matchAll(link)) {
    const message = linkFault(page, match[1] ?? match[2] ?? '', context);
    if (message !== undefined)
      findings.push({ path: page, line: lineAt(text, match.index), message });
  }
  for (const match of text.matchAll(script)) {
    const name = (match[1] ?? '').replace(/[.:]+$/, '');
    if (context.scripts.has(name)) continue;
    const message = `"npm run ${name}": package.json has no such script`;
    findings.push({ path: page, line: lineAt(text, match.index), message });
  }
  return findings;
}

function readPage(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  return statSync(path).isFile() && path.endsWith('.md') ? readFileSync(path, 'utf8') : '';
}

function main(): void {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: Record<string, string>;
  };
  const context = { read: readPage, scripts: new Set(Object.keys(manifest.scripts)) };
  const pages = listFiles('.', '', (name) => name.endsWith('.md'));
  const findings = pages.flatMap((page) => checkPage(page, readPage(page) ?? '', context));
  report('docs', findings, { count: pages.length, minimum: 3, what: 'pages' });
}

if (import.meta.main) main();
