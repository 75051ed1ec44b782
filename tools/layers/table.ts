/**
 * Who may import whom in `packages/server/src`, besides `contract` and `base`, which every module may import.
 * A module that is not listed here is an error: add its row in the commit that adds the folder.
 */
export interface LayerRow {
  readonly module: string;
  readonly mayImport: readonly string[];
  /** Modules of which only types may be imported. */
  readonly mayImportTypes?: readonly string[];
}

export const everything = '*';

export const layerTable: readonly LayerRow[] = [
  { module: 'base', mayImport: [] },
  { module: 'columns', mayImport: [] },
  { module: 'codec', mayImport: [] },
  { module: 'telemetry', mayImport: [] },
  { module: 'parquet', mayImport: ['columns'] },
  { module: 'wal', mayImport: ['columns', 'telemetry'] },
  { module: 'lake', mayImport: ['columns', 'codec', 'parquet', 'telemetry'] },
  { module: 'pipeline', mayImport: ['codec', 'columns', 'parquet', 'wal', 'lake', 'telemetry'] },
  { module: 'govern', mayImport: ['telemetry'] },
  { module: 'query', mayImport: ['columns', 'lake', 'govern', 'telemetry'] },
  { module: 'ingest', mayImport: [] },
  {
    module: 'ingest/http',
    mayImport: ['codec', 'columns', 'govern', 'telemetry'],
    mayImportTypes: ['pipeline'],
  },
  { module: 'ingest/event-field', mayImport: ['codec', 'columns'] },
  {
    module: 'ingest/<protocol>',
    mayImport: ['ingest/http', 'ingest/event-field', 'codec', 'columns', 'govern', 'telemetry'],
    mayImportTypes: ['pipeline'],
  },
  { module: 'http', mayImport: ['query', 'govern', 'pipeline', 'telemetry'] },
  { module: 'config', mayImport: [] },
  { module: 'demo', mayImport: [] },
  { module: 'threads', mayImport: [everything] },
  { module: 'cli', mayImport: [everything] },
  { module: 'node', mayImport: [everything] },
  { module: 'main.ts', mayImport: [everything] },
];

const notes: Readonly<Record<string, string>> = {
  base: 'built-in modules and `contract` only',
  ingest: 'the options all protocols share',
  config: "each module's `options.ts` only",
  'ingest/<protocol>': 'never a sibling protocol',
};

/** The row that governs `module`; protocols share one. */
export function rowFor(module: string): LayerRow | undefined {
  const exact = layerTable.find((row) => row.module === module);
  if (exact !== undefined || !module.startsWith('ingest/')) return exact;
  return layerTable.find((row) => row.module === 'ingest/<protocol>');
}

/** The table as it stands in the architecture page. */
export function layerMarkdown(): string {
  const lines = ['| module | may import, besides `contract` and `base` |', '| --- | --- |'];
  for (const { module, mayImport, mayImportTypes = [] } of layerTable) {
    const names = mayImport.map((name) => (name === everything ? 'everything' : `\`${name}\``));
    const types = mayImportTypes.map((name) => `\`${name}\` (types only)`);
    const note = notes[module];
    const allowed = [...names, ...types].join(', ') || (note === undefined ? 'nothing' : '');
    lines.push(`| \`${module}\` | ${[allowed, note].filter(Boolean).join('; ')} |`);
  }
  return lines.join('\n');
}
