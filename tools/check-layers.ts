/**
 * Checks who imports whom (`tools/layers/table.ts`), and the few rules that need the same parse.
 * `--markdown` prints the table; `--write` puts it into the architecture page.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { checkLayers } from './layers/rules.ts';
import { layerMarkdown } from './layers/table.ts';
import { type Finding, readSources, report } from './source-files.ts';

const page = 'docs/architecture.md';
const startMark = '<!-- layers:start -->';
const endMark = '<!-- layers:end -->';

/** `text` with the current table between its two marks; undefined when a mark is missing. */
export function withLayerTable(text: string): string | undefined {
  const start = text.indexOf(startMark);
  const end = text.indexOf(endMark);
  if (start < 0 || end < start) return undefined;
  const before = text.slice(0, start + startMark.length);
  return `${before}\n\n${layerMarkdown()}\n\n${text.slice(end)}`;
}

function checkPage(): Finding[] {
  if (!existsSync(page)) {
    console.log(`layers: ${page} does not exist yet, its table is not checked`);
    return [];
  }
  const text = readFileSync(page, 'utf8');
  const wanted = withLayerTable(text);
  if (wanted === undefined) {
    return [{ path: page, line: 1, message: `lacks the marks ${startMark} and ${endMark}` }];
  }
  const message = 'layer table is out of date, run: npm run check:layers -- --write';
  return wanted === text ? [] : [{ path: page, line: 1, message }];
}

function main(): void {
  if (process.argv.includes('--markdown')) {
    console.log(layerMarkdown());
    return;
  }
  if (process.argv.includes('--write')) {
    const text = withLayerTable(readFileSync(page, 'utf8'));
    if (text === undefined) throw new Error(`${page} lacks the marks ${startMark} and ${endMark}`);
    writeFileSync(page, text);
  }
  const sources = readSources('.');
  const findings = [...checkLayers(sources), ...checkPage()];
  report('layers', findings, { count: sources.size, minimum: 20, what: 'files' });
}

if (import.meta.main) main();
