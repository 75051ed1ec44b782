import { expect, it } from 'vitest';
import { IngestRig } from '../../../test/fixture/ingest-rig.ts';
import { createHecProtocol } from './index.ts';

const path = '/services/collector';
const body = new TextEncoder().encode(
  '{"time":1767323044.5,"host":"h","event":{"message":"é \\"q\\" \\u00e9","n":[1,{"a":null}],"log":{"level":"warn"}}}' +
    '{"event":"x","fields":{"a":"b","c":[1,2]},"sourcetype":"st"}\n[{"event":{"k":-1.5e3}},{"event":7}]',
);
const rig = new IngestRig(createHecProtocol({ ack: true, idField: 'a' }));
rig.send(body, { path });
const rowsBefore = rig.builder.rows;
const before = rig.rows();

/** Sends a damaged body; what it leaves must be what the answer says. Tells whether it was refused. */
function isRefused(damaged: Uint8Array): boolean {
  const { status, body: text } = rig.send(damaged, { path });
  const { code } = JSON.parse(text) as { code: number };
  expect(status).toBe(code === 0 ? 200 : 400);
  for (const column of rig.builder.batch.columns) expect(column.rows).toBe(rig.builder.rows);
  if (code !== 0) expect(rig.builder.rows).toBe(rowsBefore);
  rig.builder.batch.truncate(rowsBefore);
  return code !== 0;
}

it('is refused as a whole when it is cut anywhere but between events', () => {
  let taken = 0;
  for (let end = 0; end < body.length; end++) taken += Number(!isRefused(body.subarray(0, end)));
  // Behind the first object, behind the second, and behind the line feed.
  expect(taken).toBe(3);
  expect(rig.rows()).toEqual(before);
});

it('is refused or read as something else when any byte is changed', () => {
  let refused = 0;
  for (let at = 0; at < body.length; at++) {
    for (const mask of [0x01, 0x20, 0x80, 0xff]) {
      const damaged = body.slice();
      damaged[at] = damaged[at]! ^ mask;
      refused += Number(isRefused(damaged));
    }
  }
  expect(refused).toBeGreaterThan(body.length);
  expect(refused).toBeLessThan(body.length * 4);
});

it('is refused when its values are nested too deep, without exhausting the stack', () => {
  expect(isRefused(Buffer.from(`{"event":${'['.repeat(200_000)}`))).toBe(true);
  expect(isRefused(Buffer.from('{"event":'.repeat(100_000)))).toBe(true);
});
