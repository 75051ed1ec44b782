import type { ErrorCode } from '@varve/contract';
import type { TableSchema } from '../../columns/index.ts';
import type { TableScan } from '../plan/explain.ts';
import type { PackedFiles } from '../plan/file-selection.ts';
import type { NewestFirst } from '../plan/newest-first.ts';
import type { RowScope } from '../table.ts';

/** Messages between the node and its query processes. They cross by structured clone. */
export type EngineRequest =
  | { readonly kind: 'open'; readonly id: number; readonly options: EngineOpenOptions }
  | {
      readonly kind: 'plan';
      readonly id: number;
      readonly sql: string;
      readonly tables: readonly VisibleTable[];
    }
  | {
      readonly kind: 'narrow';
      readonly id: number;
      readonly sql: string;
      readonly edits: NarrowEdits;
    }
  | { readonly kind: 'execute'; readonly id: number; readonly execution: Execution }
  | { readonly kind: 'interrupt'; readonly id: number };

export interface EngineOpenOptions {
  readonly role: 'planner' | 'executor';
  readonly schemas: readonly TableSchema[];
  /** Private folder of this process: empty tables, spill files. */
  readonly workDirectory: string;
  /** Folders the executor may read data files from. */
  readonly dataDirectories: readonly string[];
  readonly pipeDirectory: string;
  readonly memoryLimitBytes: number;
  readonly threads: number;
}

export interface VisibleTable {
  readonly name: string;
  readonly scope?: RowScope;
}

export interface ResultColumn {
  readonly name: string;
  /** The engine's type name, such as `MAP(VARCHAR, VARCHAR)`. */
  readonly type: string;
  /** Expression over the column's stand-in name that is safe to print as JSON. */
  readonly json: string;
  readonly csv: string;
}

export interface PlannedSql {
  /** The statement as it will run: checked, without a closing semicolon. */
  readonly body: string;
  readonly tables: readonly string[];
  readonly columns: readonly ResultColumn[];
  readonly scans: readonly TableScan[];
  readonly newestFirst?: PlannedNewestFirst;
  /** Such a plan holds for the moment it was made. */
  readonly usesClock: boolean;
  /** The engine's plan, for `explain`. */
  readonly tree: unknown;
}

export interface PlannedNewestFirst extends NewestFirst {
  /**
   * Set when rows are filtered: the statement without order and limit, with the time as one more, last column.
   */
  readonly keyed?: string;
}

export interface NarrowEdits {
  readonly timeColumns: Readonly<Record<string, string>>;
  /** Adds `time column >= fromNs` to every read of a table, in decimal digits. */
  readonly fromNs?: string;
  /** Leaves these columns out of `*`. */
  readonly without?: readonly string[];
}

export type ResultFormat = 'json' | 'ndjson' | 'csv';

export interface Execution {
  readonly body: string;
  readonly columns: readonly ResultColumn[];
  readonly format: ResultFormat;
  readonly pipePath: string;
  readonly tables: readonly ExecutionTable[];
  /** Reads files in time order and only as many as it takes. */
  readonly newestFirst?: FilteredNewestFirst;
  /** Share of the bytes read while several queries run. */
  readonly weight: number;
}

export type FilteredNewestFirst = NewestFirst & { readonly keyed: string };

export interface ExecutionTable extends VisibleTable {
  readonly files: PackedFiles;
  /** Rows before this time cannot be in the result. */
  readonly fromNs?: string;
  /** Rows after this time cannot be in the result. */
  readonly toNs?: string;
}

export interface ExecutionSummary {
  readonly rows: number;
  /** Bytes this query read, apportioned by weight while others ran; undefined where the system does not tell. */
  readonly readBytes?: number;
}

export interface EngineFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly internal: Readonly<Record<string, unknown>>;
}

export type EngineReply =
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: EngineFailure };
