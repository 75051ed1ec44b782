import type { TableSchema } from '../columns/index.ts';
import type { FileView } from '../lake/index.ts';

/** The files of a table on this machine, which stay readable until the pin is released. */
export interface PinnedFiles {
  readonly files: FileView;
  release(): void;
}

/** Where a table's files come from; pinning makes every acknowledged event part of them first. */
export interface TableSource {
  pin(): Promise<PinnedFiles>;
}

/** Column to the values a role may see. A row is visible when every column named holds one of its values. */
export type RowScope = Readonly<Record<string, readonly string[]>>;

/** A table as one caller may see it. */
export interface QueryTable {
  readonly schema: TableSchema;
  readonly source: TableSource;
  readonly scope?: RowScope;
}
