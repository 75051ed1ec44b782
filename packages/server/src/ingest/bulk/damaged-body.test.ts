import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BulkRig } from './bulk.fixture.ts';

const body = new TextEncoder().encode(
  [
    '{"create":{"_index":"logs-a","_id":"1"}}',
    '{"@timestamp":"2026-01-02T03:04:04.5Z","message":"é \\"q\\" \\u00e9","log":{"level":"warn"},"n":[1,{"a":null}]}',
    '{"index":{}}',
    '{"msg":{"a":1},"time":1700000000123,"severity":"info","x":-1.5e3}',
    '{"delete":{"_index":"logs-a","_id":"1"}}',
    '{"update":{"_id":"1"}}',
    '{"doc":{}}',
    '{"create":{"_index":"lo\\u0067s","_id":"2"}}',
    '{"date":"2026-01-02","host":"h"}',
    '',
  ].join('\n'),
);

interface Reply {
  readonly items?: readonly Record<string, { readonly status: number }>[];
  readonly status?: number;
}

/** Sends a damaged body; what it leaves must be what the answer says. */
function check(rig: BulkRig, damaged: Uint8Array): void {
  const rowsBefore = rig.builder.rows;
  const { status, body: text } = rig.send(damaged);
  const reply = JSON.parse(text) as Reply;
  expect([200, 400]).toContain(status);
  const stored = (reply.items ?? []).filter((item) => Object.values(item)[0]?.status === 201);
  expect(rig.builder.rows - rowsBefore).toBe(stored.length);
  for (const column of rig.builder.batch.columns) expect(column.rows).toBe(rig.builder.rows);
  rig.builder.batch.truncate(rowsBefore);
}

it('answers a body cut at any byte, and stores what it says', () => {
  const rig = new BulkRig();
  rig.send(body);
  const rows = rig.rows();
  for (let end = 0; end < body.length; end++) check(rig, body.subarray(0, end));
  expect(rig.rows()).toEqual(rows);
});

it('answers a body with any byte changed, and stores what it says', () => {
  const rig = new BulkRig({ rejection: 'items', limits: { maxEventBytes: 120 } });
  for (let at = 0; at < body.length; at++) {
    for (const change of [0x01, 0x20, 0x80, 0xff]) {
      const damaged = body.slice();
      damaged[at] = damaged[at]! ^ change;
      check(rig, damaged);
    }
  }
  const change = fc.tuple(fc.nat(body.length - 1), fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
      const damaged = body.slice();
      for (const [at, byte] of changes) damaged[at] = byte;
      check(rig, damaged);
    }),
  );
  expect(rig.rows()).toEqual([]);
});
