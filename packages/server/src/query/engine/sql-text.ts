import type { TableSchema } from '../../columns/index.ts';
import type { RowScope } from '../table.ts';
import type { Execution, ExecutionTable, ResultColumn } from './protocol.ts';

export const quoteText = (value: string): string => `'${value.replaceAll("'", "''")}'`;
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const engineTypes = {
  int64: 'BIGINT',
  utf8: 'VARCHAR',
  'map<utf8,utf8>': 'MAP(VARCHAR, VARCHAR)',
} as const;

/** Columns a query sees: those with a field id. The rest of a file's columns are physical only. */
export const visibleColumns = (schema: TableSchema): TableSchema['columns'] =>
  schema.columns.filter((column) => column.fieldId !== undefined);

/**
 * A view of exactly the table's columns over the given files. Columns are found by field id, so a file that
 * lacks one gives nulls and one that has more shows nothing of it.
 */
export function viewSql(schema: TableSchema, paths: readonly string[], filter: ViewFilter): string {
  const columns = visibleColumns(schema);
  const fields = columns.map(
    (column) =>
      `${String(column.fieldId)}: {name: ${quoteText(column.name)}, type: '${engineTypes[column.type]}', default_value: NULL}`,
  );
  const conditions = viewConditions(schema, filter);
  return [
    `CREATE OR REPLACE TEMP VIEW ${quoteName(schema.name)} AS SELECT ${columns.map(({ name }) => quoteName(name)).join(', ')}`,
    `FROM read_parquet([${paths.map(quoteText).join(', ')}], schema = MAP {${fields.join(', ')}})`,
    ...(conditions.length === 0 ? [] : [`WHERE ${conditions.join(' AND ')}`]),
  ].join('\n');
}

export type ViewFilter = Pick<ExecutionTable, 'fromNs' | 'toNs'> & { readonly scope?: RowScope };

function viewConditions(schema: TableSchema, filter: ViewFilter): string[] {
  const conditions = Object.entries(filter.scope ?? {}).map(([column, values]) =>
    values.length === 0 ? 'false' : `${quoteName(column)} IN (${values.map(quoteText).join(', ')})`,
  );
  if (filter.fromNs !== undefined)
    conditions.push(`${quoteName(schema.timeColumn)} >= ${filter.fromNs}`);
  if (filter.toNs !== undefined)
    conditions.push(`${quoteName(schema.timeColumn)} <= ${filter.toNs}`);
  return conditions;
}

/** An empty file of the table, for planning and for queries over no files. */
export function emptyTableSql(schema: TableSchema, path: string): string {
  const columns = visibleColumns(schema);
  const ids = columns.map((column) => {
    const id = String(column.fieldId);
    if (column.type !== 'map<utf8,utf8>') return `${quoteName(column.name)}: ${id}`;
    const key = String(column.keyFieldId ?? 0);
    const value = String(column.valueFieldId ?? 0);
    return `${quoteName(column.name)}: {__duckdb_field_id: ${id}, key: ${key}, value: ${value}}`;
  });
  const nulls = columns.map(({ name, type }) => `NULL::${engineTypes[type]} AS ${quoteName(name)}`);
  return `COPY (SELECT ${nulls.join(', ')} LIMIT 0) TO ${quoteText(path)} (FORMAT parquet, FIELD_IDS {${ids.join(', ')}})`;
}

const columnNames = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `c${String(i)}`);

const fromBody = (body: string, count: number): string =>
  `FROM (${body}\n) AS result(${columnNames(count).join(', ')})`;

/** One JSON array per row. */
export function jsonRowsSql(body: string, columns: readonly ResultColumn[]): string {
  return `SELECT json_array(${columns.map(({ json }) => json).join(', ')}) AS r ${fromBody(body, columns.length)}`;
}

/**
 * Writes the rows to a pipe, one line each. JSON rows end in a comma: the writer puts its delimiter between the
 * array and a second, empty column.
 */
export function copySql(execution: Execution): string {
  const { body, columns, format, pipePath } = execution;
  const unquoted = "QUOTE '', ESCAPE ''";
  const plain = `(FORMAT csv, HEADER false, ${unquoted}, DELIMITER ',')`;
  const to = `TO ${quoteText(pipePath)}`;
  switch (format) {
    case 'json':
      return `COPY (SELECT r, NULL AS comma FROM (${jsonRowsSql(body, columns)})) ${to} ${plain}`;
    case 'ndjson': {
      const names = uniqueNames(columns.map(({ name }) => name));
      const members = columns.map(({ json }, i) => `${quoteText(names[i] ?? '')}, ${json}`);
      return `COPY (SELECT json_object(${members.join(', ')}) ${fromBody(body, columns.length)}) ${to} ${plain}`;
    }
    case 'csv': {
      const list = columns.map(({ csv }) => csv).join(', ');
      return `COPY (SELECT ${list} ${fromBody(body, columns.length)}) ${to} (FORMAT csv, HEADER false)`;
    }
  }
}

/** A JSON object cannot hold a name twice in a way readers agree on: later ones get `_1`, `_2`, …. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  return names.map((name) => {
    let candidate = name;
    for (let n = 1; seen.has(candidate) || (candidate !== name && taken.has(candidate)); n += 1) {
      candidate = `${name}_${String(n)}`;
    }
    seen.add(candidate);
    return candidate;
  });
}
