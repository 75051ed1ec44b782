import type { FilteredNewestFirst } from './protocol.ts';

const columnNames = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `c${String(i)}`);

const orderOf = ({ direction }: FilteredNewestFirst): string =>
  `ORDER BY k ${direction === 'newest' ? 'DESC' : 'ASC'} NULLS LAST`;

const wantedRows = ({ limit, offset }: FilteredNewestFirst): string => String(limit + offset);

/**
 * Adds the first rows of the files in view to those of the files before. With `beyond`, only rows nearer than that
 * time: there are enough others already.
 */
export function collectSql(
  newestFirst: FilteredNewestFirst,
  options: {
    readonly columnCount: number;
    readonly isFirst: boolean;
    readonly beyond?: string | undefined;
  },
): string {
  const { columnCount, isFirst, beyond } = options;
  const names = [...columnNames(columnCount), 'k'].join(', ');
  const nearer = newestFirst.direction === 'newest' ? '>' : '<';
  return [
    isFirst ? 'CREATE TEMP TABLE first_rows AS' : 'INSERT INTO first_rows',
    `SELECT * FROM (${newestFirst.keyed}\n) AS result(${names})`,
    ...(beyond === undefined ? [] : [`WHERE k ${nearer} ${beyond}`]),
    `${orderOf(newestFirst)} LIMIT ${wantedRows(newestFirst)}`,
  ].join('\n');
}

/** How many rows with a time there are, up to those wanted, and the time of the last of them. */
export function progressSql(newestFirst: FilteredNewestFirst): string {
  const last = newestFirst.direction === 'newest' ? 'min' : 'max';
  return `SELECT count(k), CAST(${last}(k) AS VARCHAR) FROM (SELECT k FROM first_rows ${orderOf(newestFirst)} LIMIT ${wantedRows(newestFirst)})`;
}

/** The rows the statement asked for, when enough have been collected. */
export function collectedSql(newestFirst: FilteredNewestFirst, columnCount: number): string {
  const { limit, offset } = newestFirst;
  return `SELECT ${columnNames(columnCount).join(', ')} FROM first_rows ${orderOf(newestFirst)} LIMIT ${String(limit)} OFFSET ${String(offset)}`;
}
