import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCodes, type ErrorCodeSpec } from '@varve/contract';
import { renderConfigReference } from '../packages/server/src/config/index.ts';

/** Pages that are generated from tables in the source, by path from the repository root. */
export const generatedPages: ReadonlyMap<string, () => string> = new Map([
  ['docs/reference/configuration.md', renderConfigReference],
  ['docs/reference/errors.md', renderErrorReference],
]);

const repositoryRoot = join(import.meta.dirname, '..');

export function renderErrorReference(): string {
  const rows = Object.entries<ErrorCodeSpec>(errorCodes).map(
    ([code, { status, retryable, title, action }]) =>
      `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${title} | ${action} |`,
  );
  return `# Errors

<!-- Generated from the table of error codes by \`npm run gen:docs\`; edit the table, not this page. -->

Every answer of the API port that is not a success is a problem document (RFC 9457,
\`application/problem+json\`), except \`/ready\`, which is plain text:

\`\`\`json
{
  "type": "about:blank",
  "title": "Malformed request",
  "status": 400,
  "code": "request_malformed",
  "detail": "correct the fields listed in errors",
  "request_id": "0b9ad1c8-6f0e-4f5e-9d0e-3f1f3f0d7a11",
  "errors": [{ "path": "max_scan_bytes", "message": "expected an integer of at least 0" }]
}
\`\`\`

\`code\` is stable and made for programs; \`title\` and \`detail\` are made for people. \`request_id\` is also in the
\`X-Request-Id\` header and in the log. The same request may succeed later only where "retry" says yes. Ingest listeners
use these codes in the error shapes of their own protocols.

| code | status | retry | meaning | what to do |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

/** Paths of the pages that differ from what the source says. */
export async function findStalePages(root: string = repositoryRoot): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const [path, render] of generatedPages) {
    const committed = await readFile(join(root, path), 'utf8').catch(() => undefined);
    if (committed !== render()) stale.push(path);
  }
  return stale;
}

async function writePages(): Promise<void> {
  for (const [path, render] of generatedPages) {
    const target = join(repositoryRoot, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, render());
  }
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const stale = await findStalePages();
    if (stale.length > 0) {
      console.error(`out of date, run \`npm run gen:docs\`: ${stale.join(', ')}`);
      process.exitCode = 1;
    }
  } else {
    await writePages();
  }
}
