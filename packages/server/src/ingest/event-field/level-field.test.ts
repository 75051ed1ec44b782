import { describe, expect, it } from 'vitest';
import { FieldSeverity, findLevelField, SeverityMemo } from './index.ts';

const encoder = new TextEncoder();

/** Severity of an event with these fields, and the fields that stay attributes. */
function read(fields: readonly (readonly [string, string])[]): [number, string[]] {
  const severity = new FieldSeverity(new SeverityMemo());
  severity.clear();
  const kept: string[] = [];
  for (const [name, value] of fields) {
    const nameBytes = encoder.encode(name);
    const field = findLevelField(nameBytes, 0, nameBytes.length);
    const bytes = encoder.encode(`<${value}>`);
    if (field === 0 || !severity.note(field, bytes, 1, bytes.length - 1)) kept.push(name);
  }
  return [severity.severity, kept];
}

describe('the fields that tell a level', () => {
  it('are looked at by rank, not by order', () => {
    const fields = [
      ['detected_level', 'info'],
      ['level', 'error'],
      ['log.level', 'warn'],
    ] as const;
    expect(read(fields)[0]).toBe(13);
    expect(read(fields.toReversed())[0]).toBe(13);
    expect(read([...fields, ['severity_number', '5']])[0]).toBe(5);
  });

  it('are found in any usual case', () => {
    for (const name of ['level', 'Level', 'LEVEL', 'lvl', 'severity_text', 'Severity']) {
      expect(read([[name, 'FATAL']])).toEqual([21, [name]]);
    }
    expect(read([['levels', 'FATAL']])).toEqual([0, ['levels']]);
  });

  it('count from zero in syslog only', () => {
    expect(read([['syslog.severity', '0']])[0]).toBe(21);
    expect(read([['level', '0']])[0]).toBe(0);
    expect(read([['level', '4']])[0]).toBe(13);
  });

  it('that name no level are nothing but attributes', () => {
    const fields = [
      ['severity', 'loud'],
      ['level', ''],
      ['severity_number', '25'],
      ['severity_number', '1x'],
      ['severity_number', '0'],
      ['severity_number', ''],
    ] as const;
    expect(read(fields)).toEqual([0, fields.map(([name]) => name)]);
  });

  it('give way only where the severity of the event takes their name', () => {
    expect(read([['severity', 'critical']])).toEqual([18, []]);
    expect(read([['SEVERITY', 'critical']])).toEqual([18, ['SEVERITY']]);
  });
});
