import { describe, expect, it } from 'vitest';
import { findEscapes } from './ratchet.ts';
import { readSources } from './source-files.ts';

function escapes(text: string, path = 'packages/server/src/query/plan.ts'): string[] {
  return findEscapes(new Map([[path, text]])).map(({ line, message }) => `${line}: ${message}`);
}

describe('ratchet', () => {
  it.each([
    ['const a = b as any;', /^1: any/],
    ['let a: any;', /^1: any/],
    ['const f = (a: Map<string, any[]>) => a;', /^1: any/],
    ['const a = b as unknown as string;', /^1: as unknown as/],
    ['const a = (b as unknown) as string;', /^1: as unknown as/],
    ['\nconst a = b!;', /^2: non-null/],
    ['const a = b[0]!;', /^1: non-null/],
    ['// oxlint-disable-next-line no-console\nf();', /^1: oxlint-disable/],
    ['/* eslint-disable */', /^1: eslint-disable/],
    ['f();\n// @ts-expect-error because\ng();', /^2: @ts-expect-error/],
    ['// @ts-ignore\ng();', /^1: @ts-ignore/],
    ['// @ts-nocheck', /^1: @ts-nocheck/],
    ['it.skip("a", () => {});', /^1: \.skip/],
    ['describe.only("a", () => {});', /^1: \.only/],
    ['test.concurrent.only("a", () => {});', /^1: \.only/],
    ['it.skip.each([1])("a", () => {});', /^1: \.skip/],
    ['vi.mock("./a.ts");', /^1: vi\.mock/],
    ['vi.doMock("./a.ts");', /^1: vi\.doMock/],
  ])('finds %j', (text, found) => {
    const result = escapes(text);
    expect(result).toHaveLength(1);
    expect(result[0]).toMatch(found);
  });

  it('allows index reads with "!" in byte loops only', () => {
    expect(escapes('const a = bytes[i]!;', 'packages/server/src/codec/varint.ts')).toEqual([]);
    expect(escapes('const a = bytes[i]!;', 'packages/server/src/ingest/otlp/decode.ts')).toEqual(
      [],
    );
    expect(escapes('const a = field!;', 'packages/server/src/codec/varint.ts')).toHaveLength(1);
    expect(escapes('const a = row.field!;', 'packages/server/src/wal/reader.ts')).toHaveLength(1);
  });

  it('is not misled by text, names and harmless members', () => {
    const text = `
      const note = 'as any, it.only, vi.mock, @ts-ignore';
      const any = 1;
      rows.skip(any);
      it.skipIf(isWindows)('a', () => {});
      const a = b as unknown;
      const c = !d;
    `;
    expect(escapes(text)).toEqual([]);
  });

  it('reads TSX', () => {
    const path = 'packages/console/src/pages/alert/Alert.tsx';
    expect(escapes('export const Alert = () => <p>{a!}</p>;', path)).toHaveLength(1);
  });

  it('stands at zero', () => {
    const sources = readSources('.');
    expect(sources.size).toBeGreaterThan(20);
    expect(findEscapes(sources)).toEqual([]);
  });
});
