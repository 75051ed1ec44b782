import { expect, it } from 'vitest';
import { errorCodes } from '@varve/contract';
import { findStalePages, generatedPages, renderErrorReference } from './gen-docs.ts';

it('finds every generated page current', async () => {
  expect(generatedPages.size).toBeGreaterThan(0);
  expect(await findStalePages()).toEqual([]);
});

it('finds pages that are missing or old', async () => {
  expect(await findStalePages('/nonexistent')).toEqual([...generatedPages.keys()]);
});

it('documents every error code', () => {
  const page = renderErrorReference();
  for (const code of Object.keys(errorCodes)) expect(page).toContain(`| \`${code}\` |`);
});
