import type { TableSchema } from '../columns/index.ts';
import type { DataFileStats } from '../lake/index.ts';

/** A Parquet file on this machine that stays readable until its pin is released. */
export interface PinnedFile {
  readonly path: string;
  readonly stats: DataFileStats;
  /** True when its bytes have yet to come from the object store, which makes reading them slower. */
  readonly isCold?: boolean;
}

export interface PinnedFiles {
  readonly files: readonly PinnedFile[];
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
