import type { ColumnSpec, TableSchema } from '../columns/index.ts';
import { rowGroupMaxRows } from './encode.ts';

/**
 * DuckDB statement that writes several files of one table as one, sorted by the table's sort columns. Field ids
 * are set one by one: DuckDB's automatic ones start at 0, which Iceberg readers refuse.
 */
export function mergeSql(
  schema: TableSchema,
  request: { readonly sources: readonly string[]; readonly target: string },
): string {
  const columns = schema.columns.map((column) => identifier(column.name)).join(', ');
  const sources = request.sources.map(literal).join(', ');
  const order = schema.sortColumns.map(identifier).join(', ');
  const fieldIds = schema.columns.flatMap(fieldId).join(', ');
  return `COPY (SELECT ${columns} FROM read_parquet([${sources}], union_by_name = true) ORDER BY ${order})
    TO ${literal(request.target)}
    (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroupMaxRows}, FIELD_IDS {${fieldIds}})`;
}

function fieldId(column: ColumnSpec): string[] {
  if (column.fieldId === undefined) return [];
  const name = identifier(column.name);
  if (column.type !== 'map<utf8,utf8>') return [`${name}: ${column.fieldId}`];
  return [
    `${name}: {__duckdb_field_id: ${column.fieldId}, key: ${column.keyFieldId}, value: ${column.valueFieldId}}`,
  ];
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
