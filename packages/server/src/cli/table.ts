export interface TableColumn {
  readonly name: string;
  readonly type: string;
}

const NUMERIC = /^(TINY|SMALL|BIG|HUGE|U)?\w*INT(EGER)?$|^(FLOAT|DOUBLE|DECIMAL)/;

/** Lays rows out for reading: numbers to the right, control characters escaped, nothing cut. */
export function formatTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly unknown[])[],
): string {
  const cells = rows.map((row) => columns.map((_, index) => formatCell(row[index])));
  const widths = columns.map((column, index) =>
    cells.reduce(
      (width, row) => Math.max(width, lengthOf(row[index] ?? '')),
      lengthOf(column.name),
    ),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, index) => {
        const padding = ' '.repeat((widths[index] ?? 0) - lengthOf(cell));
        return NUMERIC.test(columns[index]?.type ?? '') ? padding + cell : cell + padding;
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  const header = line(columns.map((column) => formatCell(column.name)));
  return `${[header, rule, ...cells.map(line)].join('\n')}\n`;
}

function formatCell(value: unknown): string {
  const text =
    typeof value === 'string' ? value : typeof value === 'bigint' ? String(value) : toJson(value);
  return text.replace(/[\u0000-\u001F\u007F-\u009F]/g, escapeControl);
}

const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? String(inner) : inner,
  ) ?? '';

/** Log text may hold terminal sequences; on a terminal they must not take effect. */
function escapeControl(character: string): string {
  const names: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  const code = character.charCodeAt(0).toString(16).padStart(2, '0');
  return names[character] ?? `\\x${code}`;
}

/** Characters, not UTF-16 units. */
const lengthOf = (text: string): number => Array.from(text).length;
