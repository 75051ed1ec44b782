import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSeverity, SeverityMemo } from './index.ts';

const lines = new LineSeverity(new SeverityMemo());

function severityOf(text: string): number {
  const bytes = new TextEncoder().encode(`ERROR${text}ERROR`);
  return lines.severityOf(bytes, 5, bytes.length - 5);
}

describe('the severity of a line', () => {
  it.each([
    ['{"ts":1,"level":"warn","msg":"x"}', 13],
    [' { "a" : { "level" : "error" } , "Level" : "info" }', 9],
    ['{"msg":"level: \\"error\\"","log.level":"debug"}', 5],
    ['{"level":30,"time":1}', 9],
    ['{"severity_number":14}', 14],
    ['{"level":null,"lvl":"err"}', 17],
    ['{"level":{"a":1},"lvl":"err"}', 17],
    ['ts=2026-01-01T00:00:00Z level=error msg="x"', 17],
    ['time="2026-01-01" level="WARNING" msg=x', 13],
    ['lvl=dbug severity=crit', 18],
    ['2026-01-02 03:04:05.123 ERROR [main] com.example.Shop - x', 17],
    ['2026-01-02 03:04:05 [warn] 12#12: x', 13],
    ['<info> x', 9],
    ['(Debug) x', 5],
    ['error: no such file', 17],
    ['Warning: deprecated', 13],
    ['|notice| x', 10],
    ['E0102 15:04:05.000000 1 main.go:1] x', 17],
    ['I0102 15:04:05.000000 1 main.go:1] ERROR', 9],
    ['\tFATAL', 21],
  ])('%s is %i', (text, severity) => {
    expect(severityOf(text)).toBe(severity);
  });

  it.each([
    '',
    '   ',
    'no error here',
    'the level is high',
    'TypeError: x',
    'INFORMAL',
    '10.0.0.1 - - "GET /INFO HTTP/1.1" 200',
    'see https://example.org/error: it',
    'level= msg=x',
    'I010 x',
    '{"a":{"level":"error"}}',
    '{"error":"none","msg":"ERROR: x"}',
    '{"level',
    '{"level"',
    '{"level":',
    '{"level":"err',
    `${'x '.repeat(90)}ERROR`,
    `{"a":"${'x'.repeat(1100)}","level":"error"}`,
  ])('%s tells none', (text) => {
    expect(severityOf(text)).toBe(0);
  });

  it('is a severity or none whatever the bytes are', () => {
    const piece = fc.oneof(
      fc.constantFrom('{', '}', '"', '\\', ':', '=', 'level', 'error', '[', ']', ' ', 'ERROR', '7'),
      fc.string({ maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const severity = severityOf(pieces.join(''));
        expect(Number.isInteger(severity) && severity >= 0 && severity <= 24).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
