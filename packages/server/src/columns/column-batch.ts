import { Int64Column } from './int64-column.ts';
import { MapColumn } from './map-column.ts';
import type { ColumnType, TableSchema } from './schema.ts';
import { Utf8Column } from './utf8-column.ts';

export type Column = Int64Column | Utf8Column | MapColumn;

function createColumn(type: ColumnType): Column {
  switch (type) {
    case 'int64':
      return new Int64Column();
    case 'utf8':
      return new Utf8Column();
    case 'map<utf8,utf8>':
      return new MapColumn();
  }
}

/** Offsets and validity of one row over all columns, roughly. */
const rowOverheadBytes = 64;

/**
 * Rows of one event table as Arrow columns under construction. Buffers are kept across `clear`, so a steady
 * load allocates nothing. All columns hold the same number of rows between two calls of a row writer.
 */
export class ColumnBatch {
  readonly schema: TableSchema;
  readonly columns: readonly Column[];

  constructor(schema: TableSchema) {
    this.schema = schema;
    this.columns = schema.columns.map((column) => createColumn(column.type));
  }

  get rows(): number {
    return this.columns[0]?.rows ?? 0;
  }

  /** Bytes of the values, and roughly those of offsets and bitmaps. */
  get sizeBytes(): number {
    let bytes = this.rows * rowOverheadBytes;
    for (const column of this.columns) bytes += column.sizeBytes;
    return bytes;
  }

  /** Forgets all rows from `rows` on, unfinished ones included. */
  truncate(rows: number): void {
    for (const column of this.columns) column.truncate(rows);
  }

  clear(): void {
    this.truncate(0);
  }

  int64(name: string): Int64Column {
    return this.#column(name, Int64Column);
  }

  utf8(name: string): Utf8Column {
    return this.#column(name, Utf8Column);
  }

  map(name: string): MapColumn {
    return this.#column(name, MapColumn);
  }

  #column<T extends Column>(name: string, type: new () => T): T {
    const column = this.columns[this.schema.columns.findIndex((spec) => spec.name === name)];
    if (!(column instanceof type)) throw new TypeError(`${name} is not a ${type.name}`);
    return column;
  }
}
