/**
 * The shape of an event table. One table runs through the whole node (columns, WAL, Parquet, Iceberg, SQL),
 * so `raw_events`, the audit trail and alert history differ only in this description.
 */
export type ColumnType = 'int64' | 'utf8' | 'map<utf8,utf8>';

export interface ColumnSpec {
  readonly name: string;
  readonly type: ColumnType;
  /** Iceberg field id, permanent. A column without one is physical only: other engines do not see it. */
  readonly fieldId?: number;
  /** Field ids of key and value, for maps with a field id. */
  readonly keyFieldId?: number;
  readonly valueFieldId?: number;
}

export interface TableSchema {
  readonly name: string;
  readonly columns: readonly ColumnSpec[];
  /** The int64 column (nanoseconds since the epoch) that queries prune by. */
  readonly timeColumn: string;
  /** Sort order of data files, most significant first; ends with the time column. */
  readonly sortColumns: readonly string[];
}

/** Spec section 2: exactly these ten columns; field ids as in the Iceberg notes. */
export const rawEventsSchema = {
  name: 'raw_events',
  timeColumn: 'timestamp_ns',
  sortColumns: ['tenant', 'service', 'timestamp_ns'],
  columns: [
    { name: 'timestamp_ns', type: 'int64', fieldId: 1 },
    { name: 'source', type: 'utf8', fieldId: 2 },
    { name: 'service', type: 'utf8', fieldId: 3 },
    { name: 'body', type: 'utf8', fieldId: 4 },
    { name: 'idempotency_key', type: 'utf8', fieldId: 5 },
    { name: 'attributes', type: 'map<utf8,utf8>', fieldId: 6, keyFieldId: 11, valueFieldId: 12 },
    { name: 'host', type: 'utf8', fieldId: 7 },
    { name: 'env', type: 'utf8', fieldId: 8 },
    { name: 'namespace', type: 'utf8', fieldId: 9 },
    { name: 'tenant', type: 'utf8', fieldId: 10 },
  ],
} as const satisfies TableSchema;
