import type { ColumnSpec, TableSchema } from '../../columns/index.ts';
import type { ColumnStats } from '../data-file.ts';

/** A leaf column of a table as its files hold it; a map has two. */
export interface Leaf {
  readonly index: number;
  readonly column: string;
  readonly isInteger: boolean;
}

/** Leaves of the columns queries see, in the order of the schema. */
export class LeafLayout {
  readonly leaves: readonly Leaf[];
  readonly #byColumn = new Map<string, Leaf[]>();
  readonly #byFieldId = new Map<number, Leaf>();
  readonly #byPath = new Map<string, Leaf>();

  constructor(schema: TableSchema) {
    const leaves: Leaf[] = [];
    for (const column of schema.columns) {
      if (column.fieldId === undefined) continue;
      for (const { path, fieldId } of leavesOf(column)) {
        const leaf = {
          index: leaves.length,
          column: column.name,
          isInteger: column.type === 'int64',
        };
        leaves.push(leaf);
        this.#byPath.set(path, leaf);
        if (fieldId !== undefined) this.#byFieldId.set(fieldId, leaf);
        this.#byColumn.set(column.name, [...(this.#byColumn.get(column.name) ?? []), leaf]);
      }
    }
    this.leaves = leaves;
  }

  /** Empty for a column the table does not have. */
  ofColumn(name: string): readonly Leaf[] {
    return this.#byColumn.get(name) ?? [];
  }

  /** By field id as queries find columns, by path only where a file does not say. Undefined: physical only. */
  ofStats({ fieldId, path }: Pick<ColumnStats, 'fieldId' | 'path'>): Leaf | undefined {
    return fieldId === undefined ? this.#byPath.get(path) : this.#byFieldId.get(fieldId);
  }
}

function leavesOf(
  column: ColumnSpec,
): readonly { readonly path: string; readonly fieldId: number | undefined }[] {
  if (column.type !== 'map<utf8,utf8>') return [{ path: column.name, fieldId: column.fieldId }];
  return [
    { path: `${column.name}.key`, fieldId: column.keyFieldId },
    { path: `${column.name}.value`, fieldId: column.valueFieldId },
  ];
}
