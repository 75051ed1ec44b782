import { Utf8, Vector, makeData } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Utf8Column } from './utf8-column.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

const cell = fc.oneof(fc.constant(null), fc.string({ unit: 'grapheme', maxLength: 50 }));
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('append' as const), cell }) },
  fc.record({ kind: fc.constant('all' as const), cells: fc.array(cell, { maxLength: 20 }) }),
  fc.record({ kind: fc.constant('truncate' as const), rows: fc.nat({ max: 30 }) }),
);

function append(column: Utf8Column, value: string | null): void {
  if (value === null) column.appendNull();
  else column.append(text(value), 0, text(value).length);
}

/** What Arrow reads from the buffers. */
function contents(column: Utf8Column): (string | null)[] {
  const data = makeData({
    type: new Utf8(),
    length: column.rows,
    nullCount: column.nulls,
    ...(column.nulls > 0 && { nullBitmap: Uint8Array.from(column.validityView()) }),
    valueOffsets: new Int32Array(Uint8Array.from(column.offsetsView()).buffer),
    data: column.dataView(),
  });
  return [...new Vector([data])];
}

describe('Utf8Column', () => {
  it('holds what was appended and not truncated, nulls included', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const column = new Utf8Column({ rows: 1, bytes: 8 });
        let model: (string | null)[] = [];
        for (const current of steps) {
          if (current.kind === 'append') {
            append(column, current.cell);
            model.push(current.cell);
          } else if (current.kind === 'all') {
            const source = new Utf8Column({ rows: 4, bytes: 4 });
            for (const value of current.cells) append(source, value);
            column.appendAll(source);
            model.push(...current.cells);
          } else {
            const rows = Math.min(current.rows, model.length);
            column.truncate(rows);
            model = model.slice(0, rows);
          }
        }
        expect(contents(column)).toEqual(model);
        expect(column.nulls).toBe(model.filter((value) => value === null).length);
        expect(model.map((_, row) => column.isNull(row))).toEqual(model.map((v) => v === null));
      }),
    );
  });
});
