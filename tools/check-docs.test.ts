import { describe, expect, it } from 'vitest';
import { anchorOf, checkPage, type DocsContext } from './check-docs.ts';

const pages: Readonly<Record<string, string>> = {
  'README.md': '# Varve\n',
  'docs/guide.md': '# Guide\n\n## Set `a.b` up: now\n',
  'docs/folder': '',
};
const context: DocsContext = {
  read: (path) => pages[path],
  scripts: new Set(['start', 'test', 'check:docs']),
};

function faults(text: string): string[] {
  return checkPage('docs/page.md', text, context).map(({ line, message }) => `${line}: ${message}`);
}

describe('documentation check', () => {
  it.each([
    [
      'a link to a missing page',
      'a\n[x](missing.md)',
      /^2: link to missing\.md: there is no docs\/missing\.md$/,
    ],
    ['a link to a missing heading', '[x](guide.md#nowhere)', /^1: .*no such heading$/],
    [
      'a link to a missing heading of the page itself',
      '# Here\n[x](#there)',
      /no such heading|there is no/,
    ],
    ['a reference link to a missing page', '[x]: ./missing.md', /there is no docs\/missing\.md$/],
    ['a missing script', 'a\n\nRun `npm run nothing`.', /^3: "npm run nothing"/],
    ['a missing script in a code block', '```sh\nnpm run no:thing\n```', /^2: "npm run no:thing"/],
  ])('finds %s', (_name, text, found) => {
    const result = faults(text);
    expect(result).toHaveLength(1);
    expect(result[0]).toMatch(found);
  });

  it('accepts what exists', () => {
    const text = [
      '[a](guide.md) [b](guide.md#set-ab-up-now) [c](../README.md "title") [d](folder)',
      '[e](https://example.org/x) [f](mailto:a@example.org) `[g](missing.md)`',
      '```md\n[h](missing.md)\n```',
      'Run `npm start`, `npm test` or `npm run check:docs`.',
    ].join('\n');
    expect(faults(text)).toEqual([]);
  });

  it('makes anchors as page hosts do', () => {
    expect(anchorOf('How to add a protocol / option')).toBe('how-to-add-a-protocol--option');
    expect(anchorOf('`npm test`, twice')).toBe('npm-test-twice');
  });
});
