import { NodeError } from '../../base/errors.ts';
import type { TableSchema } from '../../columns/index.ts';
import { icebergSchema, leafColumns, type IcebergSchema, type LeafColumn } from './schema.ts';

/** Where a table's objects are, and how table metadata names them. */
export interface TableLayout {
  /** Object-store prefix without trailing slash, such as `varve/raw_events`. */
  readonly prefix: string;
  /** Absolute URI of the prefix, as in table metadata. */
  readonly location: string;
  readonly schema: IcebergSchema;
  readonly leaves: readonly LeafColumn[];
  uriOf(key: string): string;
  /** Throws `storage_corrupt_table` when the URI is outside the table. */
  keyOf(uri: string): string;
}

export interface TableLayoutOptions {
  readonly prefix: string;
  readonly location: string;
  readonly table: TableSchema;
}

export function tableLayout({ prefix, location, table }: TableLayoutOptions): TableLayout {
  return {
    prefix,
    location,
    schema: icebergSchema(table),
    leaves: leafColumns(table),
    uriOf: (key) => swapPrefix(key, `${prefix}/`, `${location}/`),
    keyOf: (uri) => swapPrefix(uri, `${location}/`, `${prefix}/`),
  };
}

function swapPrefix(value: string, from: string, to: string): string {
  if (value.startsWith(from)) return to + value.slice(from.length);
  throw new NodeError('storage_corrupt_table', 'a path of the table lies outside its location', {
    internal: { path: value, expectedPrefix: from },
  });
}

export const HINT_NAME = 'version-hint.text';

export function metadataKey(layout: TableLayout, version: number): string {
  return `${layout.prefix}/metadata/v${version}.metadata.json`;
}

export function hintKey(layout: TableLayout): string {
  return `${layout.prefix}/metadata/${HINT_NAME}`;
}
