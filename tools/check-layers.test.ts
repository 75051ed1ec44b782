import { describe, expect, it } from 'vitest';
import { withLayerTable } from './check-layers.ts';
import { checkLayers } from './layers/rules.ts';
import { layerMarkdown } from './layers/table.ts';
import { readSources } from './source-files.ts';

const server = 'packages/server/src';
const client = 'packages/console/src';

function messages(files: Record<string, string>): string[] {
  return checkLayers(new Map(Object.entries(files))).map(
    ({ path, line, message }) => `${path}:${line}: ${message}`,
  );
}

/** Files every planted violation may import. */
const clean = {
  'packages/contract/src/index.ts': `export const limit = 1;`,
  [`${server}/base/errors.ts`]: `import { limit } from '@varve/contract';\nexport const errors = limit;`,
  [`${server}/columns/index.ts`]: `export { build } from './build.ts';`,
  [`${server}/columns/build.ts`]: `import { errors } from '../base/errors.ts';\nexport const build = errors;`,
  [`${server}/lake/index.ts`]: `export type Data = string;\nexport const data = 1;`,
  [`${server}/lake/deep/part.ts`]: `export const part = 1;`,
  [`${server}/wal/options.ts`]: `export const options = {};`,
  [`${server}/ingest/loki/index.ts`]: `export const loki = 1;`,
  [`${server}/ingest/http/index.ts`]: `import { build } from '../../columns/index.ts';\nexport const app = build;`,
  [`${server}/query/plan.test.ts`]: `import { part } from '../lake/deep/part.ts';\nexport const seen = part;`,
};

interface Planted {
  readonly rule: string;
  readonly path: string;
  readonly text: string;
  readonly found: RegExp;
}

const planted: readonly Planted[] = [
  {
    rule: 'an import against the table',
    path: `${server}/wal/writer.ts`,
    text: `// first line\nimport { data } from '../lake/index.ts';`,
    found: /wal\/writer\.ts:2: wal may not import lake$/,
  },
  {
    rule: 'a type-only import against the table',
    path: `${server}/wal/writer.ts`,
    text: `import type { Data } from '../lake/index.ts';`,
    found: /wal may not import lake$/,
  },
  {
    rule: 'an inline import type against the table',
    path: `${server}/codec/text.ts`,
    text: `export type Data = import('../lake/index.ts').Data;`,
    found: /codec may not import lake$/,
  },
  {
    rule: 'a re-export against the table',
    path: `${server}/columns/more.ts`,
    text: `export { data } from '../lake/index.ts';`,
    found: /columns may not import lake$/,
  },
  {
    rule: 'a star re-export against the table',
    path: `${server}/columns/more.ts`,
    text: `export * from '../lake/index.ts';`,
    found: /columns may not import lake$/,
  },
  {
    rule: 'a dynamic import against the table',
    path: `${server}/telemetry/late.ts`,
    text: `export const late = (): unknown => import('../lake/index.ts');`,
    found: /telemetry may not import lake$/,
  },
  {
    rule: 'base importing a module',
    path: `${server}/base/late.ts`,
    text: `import { build } from '../columns/index.ts';`,
    found: /base may not import columns$/,
  },
  {
    rule: 'demo importing a module',
    path: `${server}/demo/events.ts`,
    text: `import { build } from '../columns/index.ts';`,
    found: /demo may not import columns$/,
  },
  {
    rule: 'a value where only types are allowed',
    path: `${server}/ingest/http/reply.ts`,
    text: `import { data } from '../../pipeline/index.ts';`,
    found: /ingest\/http may import only types from pipeline/,
  },
  {
    rule: 'a sibling protocol',
    path: `${server}/ingest/otlp/route.ts`,
    text: `import { loki } from '../loki/index.ts';`,
    found: /protocol ingest\/otlp imports its sibling ingest\/loki/,
  },
  {
    rule: 'a protocol from the shared listener',
    path: `${server}/ingest/http/app.ts`,
    text: `import { loki } from '../loki/index.ts';`,
    found: /protocol ingest\/http imports its sibling ingest\/loki/,
  },
  {
    rule: 'a module entered past its door',
    path: `${server}/query/plan.ts`,
    text: `import { part } from '../lake/deep/part.ts';`,
    found: /from outside lake only its index\.ts/,
  },
  {
    rule: 'a composition root entering past the door',
    path: `${server}/node/open.ts`,
    text: `import { part } from '../lake/deep/part.ts';`,
    found: /from outside lake only its index\.ts/,
  },
  {
    rule: 'config importing more than options',
    path: `${server}/config/load.ts`,
    text: `import { data } from '../lake/index.ts';`,
    found: /config imports only modules' options\.ts/,
  },
  {
    rule: 'an import of a test',
    path: `${server}/query/plan.ts`,
    text: `import { seen } from './plan.test.ts';`,
    found: /imports the test file/,
  },
  {
    rule: 'a module missing from the table',
    path: `${server}/novelty/index.ts`,
    text: `export const novelty = 1;`,
    found: /module novelty is not in/,
  },
  {
    rule: 'the console importing the server, in TSX with the word import in its text',
    path: `${client}/pages/search/Search.tsx`,
    text: `import { data } from '../../../../server/src/lake/index.ts';\nexport const Search = () => <p>import this from there {data}</p>;`,
    found: /Search\.tsx:1: the console imports only contract$/,
  },
  {
    rule: 'the console importing the server by its package name',
    path: `${client}/lib/time.ts`,
    text: `import { data } from '@varve/server/lake/index.ts';`,
    found: /the console imports only contract$/,
  },
  {
    rule: 'a page importing another page',
    path: `${client}/pages/search/Search.tsx`,
    text: `import { Alert } from '../alert/Alert.tsx';`,
    found: /a page may not import another page/,
  },
  {
    rule: 'a component importing a page',
    path: `${client}/components/Table.tsx`,
    text: `import { Alert } from '../pages/alert/Alert.tsx';`,
    found: /console components may not import pages/,
  },
  {
    rule: 'contract importing the server',
    path: 'packages/contract/src/more.ts',
    text: `import { data } from '../../server/src/lake/index.ts';`,
    found: /contract imports nothing/,
  },
  {
    rule: 'interop importing the server',
    path: 'interop/main.ts',
    text: `import { data } from '../packages/server/src/lake/index.ts';`,
    found: /interop is black-box/,
  },
  {
    rule: 'process.env outside config',
    path: `${server}/wal/writer.ts`,
    text: `export const home = process.env['HOME'];`,
    found: /process\.env is read only in config/,
  },
  {
    rule: 'process.env by destructuring',
    path: `${server}/wal/writer.ts`,
    text: `const { env } = process;\nexport const home = env;`,
    found: /process\.env is read only in config/,
  },
  {
    rule: 'env imported from node:process',
    path: `${server}/wal/writer.ts`,
    text: `import { env } from 'node:process';\nexport const home = env;`,
    found: /process\.env is read only in config/,
  },
  {
    rule: 'process.exit outside main.ts',
    path: `${server}/node/open.ts`,
    text: `export const leave = (): never => process.exit(1);`,
    found: /process\.exit is called only in main\.ts/,
  },
  {
    rule: 'a banned word in a file name',
    path: `${server}/wal/segment-utils.ts`,
    text: `export const x = 1;`,
    found: /the word "utils" in a path/,
  },
  {
    rule: 'a banned word in a folder name',
    path: `${server}/wal/common/segment.ts`,
    text: `export const x = 1;`,
    found: /the word "common" in a path/,
  },
  {
    rule: 'a banned word in a class name',
    path: `${server}/wal/writer.ts`,
    text: `export class SegmentManager {}`,
    found: /the word "manager" in SegmentManager/,
  },
  {
    rule: 'an I-prefix',
    path: `${server}/wal/writer.ts`,
    text: `export interface IWriter {}`,
    found: /IWriter has an I-prefix/,
  },
  {
    rule: 'a door that exports everything',
    path: `${server}/wal/index.ts`,
    text: `export * from './options.ts';`,
    found: /a door names what it exports/,
  },
  {
    rule: 'a syntax error',
    path: `${server}/wal/writer.ts`,
    text: `export const = 1;`,
    found: /wal\/writer\.ts:1: /,
  },
];

describe('layer rules', () => {
  it('find nothing in a clean tree', () => {
    expect(messages(clean)).toEqual([]);
  });

  it.each(planted)('find $rule', ({ path, text, found }) => {
    const result = messages({ ...clean, [path]: text });
    expect(result).toHaveLength(1);
    expect(result[0]).toMatch(found);
  });

  it('find a cycle, across re-exports and dynamic imports', () => {
    const result = messages({
      [`${server}/wal/a.ts`]: `export { b } from './b.ts';`,
      [`${server}/wal/b.ts`]: `export const b = (): unknown => import('./c.ts');`,
      [`${server}/wal/c.ts`]: `import { b } from './a.ts';\nexport const c = b;`,
    });
    expect(result).toHaveLength(1);
    expect(result[0]).toMatch(/import cycle: .*a\.ts → .*b\.ts → .*c\.ts → .*a\.ts$/);
  });

  it('allow a cycle that only types form', () => {
    const result = messages({
      [`${server}/wal/a.ts`]: `import type { B } from './b.ts';\nexport type A = B;\nexport const a = 1;`,
      [`${server}/wal/b.ts`]: `import { a } from './a.ts';\nexport type B = typeof a;`,
    });
    expect(result).toEqual([]);
  });

  it('allow what the table and the roots allow', () => {
    const result = messages({
      ...clean,
      [`${server}/ingest/http/reply.ts`]: `import type { Data } from '../../pipeline/index.ts';\nexport type Reply = Data;`,
      [`${server}/config/load.ts`]: `import { options } from '../wal/options.ts';\nexport const all = [options, process.env];`,
      [`${server}/main.ts`]: `import { data } from './lake/index.ts';\nprocess.exit(data);`,
      [`${server}/ingest/otlp/route.ts`]: `import { app } from '../http/index.ts';\nexport const route = app;`,
      [`${client}/pages/search/Search.tsx`]: `import { limit } from '@varve/contract';\nexport const Search = () => <p>{limit}</p>;`,
    });
    expect(result).toEqual([]);
  });

  it('hold for the project itself', () => {
    const sources = readSources('.');
    expect(sources.size).toBeGreaterThan(20);
    expect(checkLayers(sources)).toEqual([]);
  });
});

describe('layer table', () => {
  it('replaces what stands between the marks', () => {
    const text = 'a\n<!-- layers:start -->\nold\n<!-- layers:end -->\nb\n';
    const written = withLayerTable(text) ?? '';
    expect(written).toContain(layerMarkdown());
    expect(written).not.toContain('old');
    expect(withLayerTable(written)).toBe(written);
  });

  it('needs both marks', () => {
    expect(withLayerTable('<!-- layers:end -->\n<!-- layers:start -->')).toBeUndefined();
  });
});
