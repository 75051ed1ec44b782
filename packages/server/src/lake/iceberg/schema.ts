import type { ColumnSpec, TableSchema } from '../../columns/index.ts';

/** A leaf of the table's schema: what column statistics are kept for. */
export interface LeafColumn {
  readonly path: string;
  readonly fieldId: number;
  readonly type: 'int64' | 'utf8';
  /** Key or value of a map: it has sizes and counts but no bounds. */
  readonly isRepeated: boolean;
}

export interface IcebergField {
  readonly id: number;
  readonly name: string;
  readonly required: boolean;
  readonly type: string | IcebergMapType;
}

export interface IcebergMapType {
  readonly type: 'map';
  readonly 'key-id': number;
  readonly key: string;
  readonly 'value-id': number;
  readonly 'value-required': boolean;
  readonly value: string;
}

export interface IcebergSchema {
  readonly type: 'struct';
  readonly 'schema-id': number;
  readonly fields: readonly IcebergField[];
}

const primitiveNames = { int64: 'long', utf8: 'string' } as const;

/** Physical-only columns have no field id and are not part of it. Every column is optional: so are the files'. */
export function icebergSchema(table: TableSchema): IcebergSchema {
  const fields: IcebergField[] = [];
  for (const column of table.columns) {
    if (column.fieldId === undefined) continue;
    fields.push({
      id: column.fieldId,
      name: column.name,
      required: false,
      type: icebergType(column),
    });
  }
  return { type: 'struct', 'schema-id': 0, fields };
}

function icebergType(column: ColumnSpec): string | IcebergMapType {
  if (column.type !== 'map<utf8,utf8>') return primitiveNames[column.type];
  const { key, value } = mapFieldIds(column);
  return {
    type: 'map',
    'key-id': key,
    key: 'string',
    'value-id': value,
    'value-required': false,
    value: 'string',
  };
}

export function lastColumnId(table: TableSchema): number {
  const groupIds = table.columns.map((column) => column.fieldId ?? 0);
  return Math.max(...groupIds, ...leafColumns(table).map((leaf) => leaf.fieldId));
}

export function leafColumns(table: TableSchema): readonly LeafColumn[] {
  return table.columns.flatMap((column): LeafColumn[] => {
    if (column.fieldId === undefined) return [];
    if (column.type !== 'map<utf8,utf8>') {
      const { name: path, fieldId, type } = column;
      return [{ path, fieldId, type, isRepeated: false }];
    }
    const { key, value } = mapFieldIds(column);
    return [
      { path: `${column.name}.key`, fieldId: key, type: 'utf8', isRepeated: true },
      { path: `${column.name}.value`, fieldId: value, type: 'utf8', isRepeated: true },
    ];
  });
}

/** Value of `schema.name-mapping.default`: lets readers find columns in files without field ids. */
export function nameMapping(table: TableSchema): string {
  const mapping = table.columns
    .filter((column) => column.fieldId !== undefined)
    .map((column) => {
      const entry = { 'field-id': column.fieldId, names: [column.name] };
      if (column.type !== 'map<utf8,utf8>') return entry;
      const { key, value } = mapFieldIds(column);
      const fields = [
        { 'field-id': key, names: ['key'] },
        { 'field-id': value, names: ['value'] },
      ];
      return { ...entry, fields };
    });
  return JSON.stringify(mapping);
}

function mapFieldIds(column: ColumnSpec): { key: number; value: number } {
  const { keyFieldId: key, valueFieldId: value } = column;
  if (key === undefined || value === undefined) {
    throw new TypeError(`map column ${column.name} needs field ids for key and value`);
  }
  return { key, value };
}
