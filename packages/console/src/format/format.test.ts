import { describe, expect, it } from 'vitest';
import { firstEventCommand } from './first-event-command.ts';
import { formatAgo, formatBytes, formatSeconds, formatTimestamp } from './quantity.ts';
import { firstLine, visibleSegments } from './visible-text.ts';

const shown = (text: string): string =>
  visibleSegments(text)
    .map((segment) => (segment.isHidden ? `[${segment.text}]` : segment.text))
    .join('');

describe('text from a log', () => {
  it('shows control, bidirectional and zero-width characters by name', () => {
    expect(shown('a\u001b[31mb\u0000')).toBe('a[ESC][31mb[NUL]');
    expect(shown('user\u202egnp.exe')).toBe('user[U+202E]gnp.exe');
    expect(shown('a\u200bb\ufeffc\u2028d\u0085e')).toBe('a[U+200B]b[U+FEFF]c[U+2028]d[U+0085]e');
    expect(shown('tag\u{e0041} lone\ud800')).toBe('tag[U+E0041] lone[U+D800]');
  });

  it('leaves ordinary text of any script, tabs and newlines alone', () => {
    const text = 'grün 東京 שלום 🚀\n\tat x <script>alert(1)</script>';
    expect(visibleSegments(text)).toEqual([{ text, isHidden: false }]);
  });

  it('fits into one line of a list', () => {
    expect(firstLine('a\r\n\tb\nc')).toBe('a ⏎  b ⏎ c');
    expect(firstLine('x'.repeat(5000)).length).toBe(600);
  });
});

describe('quantities', () => {
  it('show times to the nanosecond', () => {
    expect(formatTimestamp(1760000000123456789n, 'utc', 9)).toBe('2025-10-09 08:53:20.123456789');
    expect(formatTimestamp(-1n, 'utc')).toBe('1969-12-31 23:59:59.999');
    expect(formatTimestamp(9223372036854775807n, 'utc')).toBe('2262-04-11 23:47:16.854');
  });

  it('show bytes, seconds and ages in the unit that reads best', () => {
    expect([0, 1023, 1024, 10 * 1024 * 1024].map(formatBytes)).toEqual([
      '0 B',
      '1,023 B',
      '1.0 KiB',
      '10 MiB',
    ]);
    expect([0, 0.0002, 0.25, 12.34, 125, 7300].map(formatSeconds)).toEqual([
      '0 ms',
      '1 ms',
      '250 ms',
      '12.3 s',
      '2 min 5 s',
      '2 h 1 min',
    ]);
    expect(formatAgo('2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1, 0, 0, 30))).toBe('30.0 s ago');
  });
});

describe('the command for the first event', () => {
  const listener = (name: string, address: string) => ({
    name,
    address,
    isAccepting: true,
    received: 0,
    stored: 0,
    deduplicated: 0,
    rejected: 0,
    rejectedByReason: [],
    lastEventAt: undefined,
  });

  it('names the real listener, at the host of the API when it listens everywhere', () => {
    expect(firstEventCommand([listener('otlp_http', '0.0.0.0:4318')], 'varve.internal')).toContain(
      'http://varve.internal:4318/v1/logs',
    );
    expect(firstEventCommand([listener('bulk', '10.0.0.7:9200')], 'x')).toContain(
      'http://10.0.0.7:9200/_bulk',
    );
    expect(firstEventCommand([listener('hec', ':8088')], 'x')).toBeUndefined();
  });
});
