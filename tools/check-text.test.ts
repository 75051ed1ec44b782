import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBannedText, textFiles } from './check-text.ts';

const slash = '/';
const registry = ['registry', 'example', 'org'].join('.');

describe('banned text', () => {
  it.each([
    ['a machine path', `see ${slash}home/someone/notes.md`],
    ['a machine path in quotes', `const file = '${slash}work/tree/a.ts';`],
    ['a machine path as a file address', `file://${slash}root/a.ts`],
    ['a registry', `https://${registry}/left-pad`],
    ['a registry setting', `registry=https://${registry}/`],
    ['a download address in a lock file', `  "${'resolved'}": "http${'s'}://host/a.tgz"`],
  ])('finds %s', (_name, text) => {
    const findings = findBannedText('a.md', `first\n${text}\n`);
    expect(findings.length).toBeGreaterThan(0);
    expect(findings[0]?.line).toBe(2);
  });

  it('lets relative paths, routes and addresses pass', () => {
    const text =
      './work/a.ts packages/root/b.ts https://example.org/home/ /homepage schema registry';
    expect(findBannedText('a.md', text)).toEqual([]);
  });

  it('does not stand in any file of the repository', () => {
    const paths = textFiles('.');
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.flatMap((path) => findBannedText(path, readFileSync(path, 'utf8')))).toEqual([]);
  });
});
