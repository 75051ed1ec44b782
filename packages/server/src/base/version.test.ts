import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { VERSION } from './version.ts';

it.each(['../../package.json', '../../../../package.json'])(
  'is the one in %s',
  async (manifest) => {
    const text = await readFile(new URL(manifest, import.meta.url), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ version: VERSION });
  },
);
